// The store where the machine seals its keys. That no crash shows a key is in crash.test.ts.
import { execFileSync } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { aSealingMachine, plainKeysIn, type SealingMachine } from "../../../../test/builders/key-seal.ts";
import { aNodeCa } from "../../../../test/builders/node-ca.ts";
import { createManualClock } from "../../../../test/fakes/clock.ts";
import { Fault } from "../../../kernel/outcome/index.ts";
import { nodeFileSystem } from "../../../platform/files/index.ts";
import { generatePrivateKey } from "../../../platform/keys/index.ts";
import { PAIR_MAX_BYTES } from "../../../platform/pair/index.ts";
import { type CertificateStore, createCertificateStore, openFit, type StoreOptions } from "./store.ts";

const ca = aNodeCa();
const first = ca.issueNode();
const second = ca.issueNode();

describe("a store whose keys are sealed", () => {
  let directory = "";
  let machine: SealingMachine;
  let notices: string[] = [];
  const clock = createManualClock();
  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), "sealed-"));
    machine = aSealingMachine();
    notices = [];
  });
  afterEach(() => rmSync(directory, { recursive: true }));

  const open = (options: Partial<StoreOptions> = {}) =>
    createCertificateStore({
      ...{ directory, clock, keySeal: machine, onNotice: (text: string) => notices.push(text) },
      ...options,
    });
  const sealing = () => open({ sealKeys: true });
  const current = () => readFileSync(join(directory, "kubelet-client-current.pem"), "utf8");

  it("has kubelet's layout, and in the key's place a block that nobody reads but the machine", async () => {
    const store = sealing();
    const saved = await store.save(first.certificatePem, first.keyPem);
    expect(saved.keyPem).toBe(first.keyPem);
    expect(current()).toMatch(/^-----BEGIN CERTIFICATE-----.+-----BEGIN COUNTERSIGN SEALED KEY-----\n.+\n$/s);
    expect(plainKeysIn(directory, [first.keyPem])).toEqual([]);
    const pair = store.load();
    expect(pair).toMatchObject({ commonName: "system:node:worker-1", certificatePem: first.certificatePem });
    expect(machine.opened).toEqual([]);
    expect(pair && (await store.unseal(pair))).toEqual(saved);
  });

  it("seals the key of a request too, and opens it again", async () => {
    const store = sealing();
    const key = generatePrivateKey("P-256").encodePem();
    await store.savePendingKey(key);
    expect(plainKeysIn(directory, [key])).toEqual([]);
    expect(await store.loadPendingKey()).toBe(key);
  });

  it("goes on sealing when nobody says so, and stops when somebody says that", async () => {
    await sealing().save(first.certificatePem, first.keyPem);
    await open().save(second.certificatePem, second.keyPem);
    expect(plainKeysIn(directory)).toEqual([]);
    await open({ sealKeys: false }).save(first.certificatePem, first.keyPem);
    expect(plainKeysIn(directory)).toHaveLength(1);
    expect(open().sealNow()).toBeUndefined();
  });

  it("is not written to by somebody who cannot seal and was not told to undo it", async () => {
    await sealing().save(first.certificatePem, first.keyPem);
    const stranger = open({ keySeal: undefined });
    expect(() => stranger.sealNow()).toThrow("keys are sealed here");
    await expect(stranger.save(second.certificatePem, second.keyPem)).rejects.toMatchObject({
      code: "bad-config",
    });
    expect(current()).toContain(first.certificatePem);
  });

  it("keeps no plain pair of the time before, and nothing that is not its own goes", async () => {
    await open().save(first.certificatePem, first.keyPem);
    const plain = readlinkSync(join(directory, "kubelet-client-current.pem"));
    writeFileSync(join(directory, "kubelet-client.pem"), first.certificatePem + first.keyPem);
    await sealing().save(second.certificatePem, second.keyPem);
    expect(existsSync(plain)).toBe(false);
    expect(plainKeysIn(directory)).toEqual([join(directory, "kubelet-client.pem")]);
  });

  describe("beside plain keys of the time before", () => {
    const at = (name: string) => join(directory, name);
    const plainPair = first.certificatePem + first.keyPem;
    const exchange = `${JSON.stringify({ key: first.keyPem, protocol: "tpm/1", about: "x" })}\n`;
    const PLAIN: Record<string, [name: string, content: string]> = {
      "the pair before": ["kubelet-client-2025-12-31-00-00-00.pem", plainPair],
      "a second pair of one second": ["kubelet-client-2025-12-31-00-00-00-1.pem", plainPair],
      "a pair that is cut short": ["kubelet-client-2025-12-31-00-00-00.pem", plainPair.trim().slice(0, -20)],
      "a pair that lost its beginning": ["kubelet-client-2025-12-31-00-00-00.pem", first.keyPem.slice(30)],
      "a key of a request, which an exchange never asks for": ["kubelet-client.key.tmp", first.keyPem],
      "a key of a request that was moved aside": ["kubelet-client.key.tmp.damaged-1", `x${first.keyPem}`],
      "a current file that was moved aside": ["kubelet-client-current.pem.damaged-1767225600000", `\0${plainPair}`],
      "a file in the link's place that was moved aside": ["kubelet-client-updated.pem.damaged-1", plainPair],
      "an exchange under way": ["kubelet-client.exchange", exchange],
      "a pair on its way": [".kubelet-client-current.pem.0123456789ab.tmp", plainPair],
      "a key of a request on its way": [".kubelet-client.key.tmp.0123456789ab.tmp", first.keyPem],
    };
    const OTHERS: Record<string, [name: string, content: string]> = {
      "the serving pair, which a kubelet reads": ["kubelet-server-2025-12-31-00-00-00.pem", plainPair],
      "the key of a request for a serving pair": ["kubelet-server.key.tmp", first.keyPem],
      "somebody's own file": ["kubelet-client-backup.pem", plainPair],
      "somebody's own copy": ["kubelet-client-2025-12-31-00-00-00.pem.bak", plainPair],
    };

    for (const [sentence, [name, content]] of Object.entries(PLAIN)) {
      it(`keeps none in ${sentence} once a sealed pair is stored`, async () => {
        writeFileSync(at(name), content);
        await sealing().save(second.certificatePem, second.keyPem);
        expect([existsSync(at(name)), plainKeysIn(directory, [first.keyPem])]).toEqual([false, []]);
      });

      it(`keeps none in ${sentence} after a repair, where power was lost once the sealed pair was current`, async () => {
        await sealing().save(second.certificatePem, second.keyPem);
        writeFileSync(at(name), content);
        const before = current();
        await open().repair("system:node:worker-1");
        expect([existsSync(at(name)), plainKeysIn(directory, [first.keyPem])]).toEqual([false, []]);
        expect([current(), machine.opened]).toEqual([before, []]);
      });
    }

    for (const [sentence, [name, content]] of Object.entries(OTHERS)) {
      it(`does not touch ${sentence}`, async () => {
        writeFileSync(at(name), content);
        await sealing().save(second.certificatePem, second.keyPem);
        await sealing().repair("system:node:worker-1");
        expect(readFileSync(at(name), "utf8")).toBe(content);
        expect(notices).toEqual([]);
      });
    }

    it("says so of a pair that a cloned image brought along: moved aside first, gone with the first sealed one", async () => {
      const foreign = ca.issueNode({ nodeName: "worker-7" });
      writeFileSync(at("kubelet-client-current.pem"), foreign.certificatePem + foreign.keyPem);
      const store = sealing();
      await store.repair("system:node:worker-1");
      expect(plainKeysIn(directory)).toEqual([expect.stringContaining("current.pem.damaged-")]);
      await store.save(second.certificatePem, second.keyPem);
      expect(plainKeysIn(directory, [foreign.keyPem])).toEqual([]);
      expect(notices).toEqual([
        expect.stringContaining('it is the certificate of "system:node:worker-7"'),
        expect.stringMatching(/\.damaged-\d+ was removed: it held a plain key, and keys are sealed here$/),
      ]);
    });

    it("keeps what was moved aside and shows no key", async () => {
      await sealing().save(second.certificatePem, second.keyPem);
      writeFileSync(at("kubelet-client-current.pem.damaged-1"), current().slice(0, -60));
      await sealing().repair("system:node:worker-1");
      expect([existsSync(at("kubelet-client-current.pem.damaged-1")), notices]).toEqual([true, []]);
    });

    it("takes nothing from a plain pair that is still the current one", async () => {
      await open().save(first.certificatePem, first.keyPem);
      await open().savePendingKey(second.keyPem);
      const before = readdirSync(directory);
      await sealing().repair("system:node:worker-1");
      expect([readdirSync(directory), sealing().load()?.keyPem]).toEqual([before, first.keyPem]);
    });

    it("takes nothing from somebody who undoes the sealing: the key of the request is wanted plain", async () => {
      await sealing().save(first.certificatePem, first.keyPem);
      const undoing = open({ sealKeys: false });
      await undoing.savePendingKey(second.keyPem);
      await undoing.repair("system:node:worker-1");
      expect(await undoing.loadPendingKey()).toBe(second.keyPem);
    });

    it("never removes the current pair, whatever somebody wrote into its file, nor what a link leads to", async () => {
      await sealing().save(second.certificatePem, second.keyPem);
      writeFileSync(readlinkSync(at("kubelet-client-current.pem")), current() + first.keyPem);
      const elsewhere = mkdtempSync(join(tmpdir(), "elsewhere-"));
      writeFileSync(join(elsewhere, "key"), first.keyPem);
      symlinkSync(join(elsewhere, "key"), at("kubelet-client.key.tmp"));
      await sealing().repair("system:node:worker-1");
      expect(sealing().load()?.certificatePem).toBe(second.certificatePem);
      expect(existsSync(at("kubelet-client.key.tmp"))).toBe(true);
      rmSync(elsewhere, { recursive: true });
    });

    it("is not held by a pipe or a directory of such a name, and reads no more of a huge file than of a pair", async () => {
      execFileSync("mkfifo", [at("kubelet-client.key.tmp.damaged-1")]);
      mkdirSync(at("kubelet-client.key.tmp.damaged-2"));
      writeFileSync(at("kubelet-client.key.tmp.damaged-3"), first.keyPem + "x".repeat(2 * PAIR_MAX_BYTES));
      await sealing().save(second.certificatePem, second.keyPem);
      expect(readdirSync(directory).filter((name) => name.includes("damaged"))).toEqual([
        "kubelet-client.key.tmp.damaged-1",
        "kubelet-client.key.tmp.damaged-2",
      ]);
    });

    it("finds the newest among more pairs than are looked at in one go, and all in a few", async () => {
      for (let minute = 0; minute < 60; minute++) {
        for (let copy = 1; copy <= 9; copy++) {
          writeFileSync(
            at(`kubelet-client-2025-12-31-00-${String(minute).padStart(2, "0")}-00-${copy}.pem`),
            plainPair,
          );
        }
      }
      await sealing().save(second.certificatePem, second.keyPem);
      const left = plainKeysIn(directory);
      expect(left.length).toBeGreaterThan(0);
      expect(left.length).toBeLessThan(60);
      expect(left.every((path) => /-00-0\d-00-/.test(path))).toBe(true);
      await open().repair("system:node:worker-1");
      expect(plainKeysIn(directory)).toEqual([]);
    });

    it("has its pair where a plain file cannot be removed, and says that it is there", async () => {
      writeFileSync(at("kubelet-client.key.tmp"), first.keyPem);
      const remove = async (path: string) => {
        if (path.endsWith("client.key.tmp"))
          throw new Fault("io-failed", `cannot remove ${path}: not permitted (EPERM)`);
        await nodeFileSystem.remove(path);
      };
      const store = open({ sealKeys: true, fileSystem: { ...nodeFileSystem, remove } });
      await store.save(second.certificatePem, second.keyPem);
      expect(store.load()?.certificatePem).toBe(second.certificatePem);
      expect(notices).toEqual([expect.stringMatching(/key\.tmp holds a plain key, although .*not permitted/)]);
    });
  });

  it("does not go on with a key of a request that lay open", async () => {
    await open().savePendingKey(first.keyPem);
    expect(await sealing().loadPendingKey()).toBeUndefined();
    expect(plainKeysIn(directory)).toEqual([]);
  });

  it("makes a link of a regular current file without opening it", async () => {
    await sealing().save(first.certificatePem, first.keyPem);
    const text = current();
    rmSync(join(directory, "kubelet-client-current.pem"));
    writeFileSync(join(directory, "kubelet-client-current.pem"), text);
    await open().repair("system:node:worker-1");
    expect(readlinkSync(join(directory, "kubelet-client-current.pem"))).toContain(directory);
    expect([current(), machine.opened]).toEqual([text, []]);
  });

  it("moves a damaged block aside, which shows without a TPM", async () => {
    await sealing().save(first.certificatePem, first.keyPem);
    const path = readlinkSync(join(directory, "kubelet-client-current.pem"));
    writeFileSync(path, current().replace(/SEALED KEY-----\nAQ/, "SEALED KEY-----\nAg"));
    machine.trouble = new Fault("unavailable", "no TPM");
    await open().repair("system:node:worker-1");
    expect(notices).toEqual([expect.stringContaining("the sealed key is damaged: its version must be 1")]);
  });

  const TROUBLES: Record<string, Fault> = {
    "is away": new Fault("not-found", "cannot open the TPM device"),
    "is silent": new Fault("timeout", "no answer from TPM"),
    "is locked out": new Fault("unavailable", "TPM is locked out"),
    "answers with nonsense": new Fault("malformed", "TPM response must have 10 octets"),
    "is in failure mode": new Fault("io-failed", "TPM is in failure mode"),
  };
  it.each(Object.entries(TROUBLES))("loses nothing to a TPM that %s", async (_, trouble) => {
    const store = sealing();
    await store.save(first.certificatePem, first.keyPem);
    await store.savePendingKey(second.keyPem);
    const before = readdirSync(directory);
    machine.trouble = trouble;
    const again = open();
    await again.repair("system:node:worker-1");
    const pair = again.load();
    await expect(pair && again.unseal(pair)).rejects.toBe(trouble);
    await expect(again.loadPendingKey()).rejects.toBe(trouble);
    await expect(pair && openFit(again, pair)).rejects.toBe(trouble);
    await expect(again.save(second.certificatePem, second.keyPem)).rejects.toBe(trouble);
    expect([readdirSync(directory), notices]).toEqual([before, []]);
    machine.trouble = undefined;
    expect(pair && (await again.unseal(pair)).keyPem).toBe(first.keyPem);
    expect(await again.loadPendingKey()).toBe(second.keyPem);
  });

  it("on another machine opens nothing: its pair is of no use there, the key of its request goes aside", async () => {
    const store = sealing();
    await store.save(first.certificatePem, first.keyPem);
    await store.savePendingKey(second.keyPem);
    const copied = open({ keySeal: aSealingMachine() });
    const pair = copied.load();
    await expect(pair && copied.unseal(pair)).rejects.toMatchObject({ code: "untrusted" });
    expect(pair && (await openFit(copied, pair))).toBeUndefined();
    expect(await copied.loadPendingKey()).toBeUndefined();
    expect(notices).toEqual([expect.stringContaining("kubelet-client.key.tmp was unusable")]);
    expect(current()).toContain(first.certificatePem);
  });

  it("knows which pair is not what was asked for", async () => {
    const keyThatFits = async (store: CertificateStore) => {
      const pair = store.load();
      return pair && (await openFit(store, pair))?.keyPem;
    };
    await open().save(first.certificatePem, first.keyPem);
    expect([await keyThatFits(open()), await keyThatFits(sealing())]).toEqual([first.keyPem, undefined]);
    await sealing().save(second.certificatePem, second.keyPem);
    expect([await keyThatFits(sealing()), await keyThatFits(open())]).toEqual([second.keyPem, second.keyPem]);
    expect(await keyThatFits(open({ sealKeys: false }))).toBeUndefined();
  });

  it("is for the client's key: a serving key stays plain, because the kubelet reads it", async () => {
    const serving = open({ sealKeys: true, purpose: "server" });
    await serving.save(first.certificatePem, first.keyPem);
    expect(serving.load()?.keyPem).toBe(first.keyPem);
    expect(serving.sealNow()).toBeUndefined();
  });
});
