import {
  chmodSync,
  existsSync,
  lstatSync,
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
import { isAbsolute, join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { aNodeCa } from "../../../../test/builders/node-ca.ts";
import { createManualClock } from "../../../../test/fakes/clock.ts";
import { Fault } from "../../../kernel/outcome/index.ts";
import { type FileSystem, nodeFileSystem } from "../../../platform/files/index.ts";
import { generatePrivateKey } from "../../../platform/keys/index.ts";
import { type CertificateStore, createCertificateStore } from "./store.ts";

const ca = aNodeCa();
const first = ca.issueNode();
const second = ca.issueNode();

describe("the certificate store", () => {
  let root = "";
  let directory = "";
  let notices: string[] = [];
  const clock = createManualClock();

  beforeEach(() => {
    root = mkdtempSync(join(tmpdir(), "store-"));
    directory = join(root, "pki");
    notices = [];
  });
  afterEach(() => rmSync(root, { recursive: true }));

  async function open(fileSystem?: FileSystem): Promise<CertificateStore> {
    const store = createCertificateStore({ directory, clock, fileSystem, onNotice: (text) => notices.push(text) });
    await store.open();
    return store;
  }
  const current = () => join(directory, "kubelet-client-current.pem");
  const mode = (path: string) => (lstatSync(path).mode & 0o777).toString(8);

  it("has kubelet's layout: pair file 0600 in 0700, current an absolute link", async () => {
    const store = await open();
    expect(store.load()).toBeUndefined();
    await store.save(first.certificatePem, first.keyPem);
    const target = readlinkSync(current());
    expect(isAbsolute(target)).toBe(true);
    expect(target).toMatch(/\/kubelet-client-\d{4}-\d\d-\d\d-\d\d-\d\d-\d\d\.pem$/);
    expect([mode(directory), mode(target)]).toEqual(["700", "600"]);
    expect(readFileSync(target, "utf8")).toBe(first.certificatePem + first.keyPem);
    expect(store.load()?.keyPem).toBe(first.keyPem);
  });

  it("gives a second pair of the same second a name of its own and keeps the first", async () => {
    const store = await open();
    await store.save(first.certificatePem, first.keyPem);
    const before = readlinkSync(current());
    await store.save(second.certificatePem, second.keyPem);
    expect(readlinkSync(current())).not.toBe(before);
    expect(readFileSync(before, "utf8")).toContain(first.keyPem);
    expect(store.load()?.keyPem).toBe(second.keyPem);
  });

  it("does not switch to a pair whose key does not fit", async () => {
    const store = await open();
    await store.save(first.certificatePem, first.keyPem);
    await expect(store.save(second.certificatePem, first.keyPem)).rejects.toThrow("not the key");
    expect(store.load()?.keyPem).toBe(first.keyPem);
  });

  it("keeps a pending key until it is dropped", async () => {
    const store = await open();
    const key = generatePrivateKey("P-256").encodePem();
    await store.savePendingKey(key);
    expect(mode(join(directory, "kubelet-client.key.tmp"))).toBe("600");
    expect(await store.loadPendingKey()).toBe(key);
    await store.dropPendingKey();
    await store.dropPendingKey();
    expect(await store.loadPendingKey()).toBeUndefined();
  });

  for (const [sentence, content] of Object.entries({
    "is empty": "",
    "is cut short": (first.certificatePem + first.keyPem).slice(0, 400),
    "holds another key": first.certificatePem + second.keyPem,
    "is binary": "\u0000\u0001",
  })) {
    it(`moves a current file aside that ${sentence}, with a message`, async () => {
      const store = await open();
      writeFileSync(current(), content);
      expect(store.load()).toBeUndefined();
      await store.repair();
      expect(existsSync(current())).toBe(false);
      expect(readdirSync(directory)).toEqual([expect.stringContaining("kubelet-client-current.pem.damaged-")]);
      expect(notices).toEqual([expect.stringContaining("was unusable and is now")]);
    });
  }

  it("moves an unreadable pending key aside, where a kubelet would stop", async () => {
    const store = await open();
    writeFileSync(join(directory, "kubelet-client.key.tmp"), "-----BEGIN");
    expect(await store.loadPendingKey()).toBeUndefined();
    expect(notices).toHaveLength(1);
  });

  it("reads a regular current file and replaces it with a link, where a kubelet would never rotate again", async () => {
    const store = await open();
    writeFileSync(current(), first.certificatePem + first.keyPem);
    expect(store.load()?.keyPem).toBe(first.keyPem);
    await store.save(second.certificatePem, second.keyPem);
    expect(lstatSync(current()).isSymbolicLink()).toBe(true);
    expect(store.load()?.keyPem).toBe(second.keyPem);
  });

  it("finishes a switch that an upstream kubelet was killed in", async () => {
    const store = await open();
    writeFileSync(join(directory, "kubelet-client-2026-01-01-00-00-00.pem"), first.certificatePem + first.keyPem);
    symlinkSync(
      join(directory, "kubelet-client-2026-01-01-00-00-00.pem"),
      join(directory, "kubelet-client-updated.pem"),
    );
    await store.repair();
    expect(store.load()?.keyPem).toBe(first.keyPem);
  });

  describe("an attacker with a foot in the directory", () => {
    it("cannot have a key written through a link at the pair's name", async () => {
      const store = await open();
      const victim = join(root, "victim");
      symlinkSync(victim, store.layout.pairPath(clock.now(), 0));
      await store.save(first.certificatePem, first.keyPem);
      expect(existsSync(victim)).toBe(false);
      expect(store.load()?.keyPem).toBe(first.keyPem);
    });

    it("cannot have a key written or read through a link at the pending key's name", async () => {
      const store = await open();
      const victim = join(root, "victim.key");
      writeFileSync(victim, generatePrivateKey("P-256").encodePem());
      symlinkSync(victim, store.layout.pendingKeyPath);
      expect(await store.loadPendingKey()).toBeUndefined();
      const before = readFileSync(victim, "utf8");
      symlinkSync(victim, store.layout.pendingKeyPath);
      await store.savePendingKey(first.keyPem);
      expect(readFileSync(victim, "utf8")).toBe(before);
      expect(lstatSync(store.layout.pendingKeyPath).isSymbolicLink()).toBe(false);
    });

    it("cannot make a repair touch what a planted link points at", async () => {
      const store = await open();
      const victim = join(root, "shadow");
      writeFileSync(victim, "root:x:0:0\n");
      symlinkSync(victim, current());
      await store.repair();
      expect(readFileSync(victim, "utf8")).toBe("root:x:0:0\n");
      expect(existsSync(current())).toBe(false);
    });

    it("cannot hang a reader with a link to itself, a pipe or a directory", async () => {
      const store = await open();
      for (const target of [current(), "/dev/zero", "/"]) {
        symlinkSync(target, current());
        expect(store.load()).toBeUndefined();
        rmSync(current());
      }
    });

    it("is not given the chance: a directory that others can write to is refused", async () => {
      mkdirSync(directory);
      chmodSync(directory, 0o777);
      await expect(open()).rejects.toMatchObject({ code: "bad-config" });
    });
  });

  it("has a usable current pair after a crash at any operation of an update", async () => {
    const seen = new Set<string>();
    for (let crashAt = 0; ; crashAt++) {
      rmSync(directory, { recursive: true, force: true });
      await (await open()).save(first.certificatePem, first.keyPem);
      const crashed = await crash(open(crashingAfter(crashAt)));
      const restarted = await open();
      await restarted.repair();
      const pair = restarted.load();
      expect([first.keyPem, second.keyPem]).toContain(pair?.keyPem);
      seen.add(pair?.keyPem === first.keyPem ? "old" : "new");
      await restarted.save(second.certificatePem, second.keyPem);
      expect(restarted.load()?.keyPem).toBe(second.keyPem);
      if (!crashed) break;
    }
    expect(seen).toEqual(new Set(["old", "new"]));
  });

  async function crash(opening: Promise<CertificateStore>): Promise<boolean> {
    try {
      await (await opening).save(second.certificatePem, second.keyPem);
      return false;
    } catch (error) {
      expect(error).toMatchObject({ message: "power failure" });
      return true;
    }
  }

  /** Everything after that many operations fails, as if the machine had stopped there. */
  function crashingAfter(operations: number): FileSystem {
    let left = operations;
    return new Proxy(nodeFileSystem, {
      get(target, name: keyof FileSystem) {
        const operation = target[name] as (...args: unknown[]) => unknown;
        return (...args: unknown[]) => {
          if (left-- <= 0) throw new Fault("io-failed", "power failure");
          return operation(...args);
        };
      },
    });
  }
});
