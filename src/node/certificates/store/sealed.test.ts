// The store where the machine seals its keys. That no crash shows a key is in crash.test.ts.
import { existsSync, mkdtempSync, readdirSync, readFileSync, readlinkSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { aSealingMachine, plainKeysIn, type SealingMachine } from "../../../../test/builders/key-seal.ts";
import { aNodeCa } from "../../../../test/builders/node-ca.ts";
import { createManualClock } from "../../../../test/fakes/clock.ts";
import { Fault } from "../../../kernel/outcome/index.ts";
import { generatePrivateKey } from "../../../platform/keys/index.ts";
import { openFit } from "./index.ts";
import { type CertificateStore, createCertificateStore, type StoreOptions } from "./store.ts";

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
