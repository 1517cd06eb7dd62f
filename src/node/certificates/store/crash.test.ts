// Every moment at which a node can lose power while it gets and stores a certificate, with everything a disk may then
// have kept: after the restart there is a usable pair or a clean new start, never a current file that stops a kubelet.
// Once with plain keys and once with sealed keys: then no private key is on the disk at any such moment. And once from
// plain keys to sealed ones: nothing of the plain ones stays.

import { existsSync, lstatSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { aSealingMachine, plainKeysIn } from "../../../../test/builders/key-seal.ts";
import { aNodeCa } from "../../../../test/builders/node-ca.ts";
import { createManualClock } from "../../../../test/fakes/clock.ts";
import { SURVIVALS, type Survival } from "../../../../test/fakes/files.ts";
import { createMirroredFiles } from "../../../../test/fakes/mirrored-files.ts";
import { isFault } from "../../../kernel/outcome/index.ts";
import type { FileSystem } from "../../../platform/files/index.ts";
import { generatePrivateKey } from "../../../platform/keys/index.ts";
import { isSealed, type KeySeal, parseStoredPair } from "../../../platform/pair/index.ts";
import { storeLayout } from "../layout.ts";
import { type CertificateStore, createCertificateStore } from "./store.ts";

const ca = aNodeCa();
const old = ca.issueNode();
const key = generatePrivateKey("P-256");
const fresh = { certificatePem: ca.signNode({ publicKey: key.signer.publicKey }), keyPem: key.encodePem() };
const clock = createManualClock();

/** A whole rotation as obtain.ts does it, from an empty directory or over an old pair. */
async function rotate(store: CertificateStore): Promise<void> {
  await store.open();
  await store.repair("system:node:worker-1");
  await store.savePendingKey(fresh.keyPem);
  await store.save(fresh.certificatePem, fresh.keyPem);
  await store.dropPendingKey();
}

type Begin = (store: CertificateStore, fileSystem: FileSystem) => Promise<void>;

const BEGINNINGS: Readonly<Record<string, Begin>> = {
  "a first certificate": async () => undefined,
  "a rotation": async (store) => {
    await store.open();
    await store.save(old.certificatePem, old.keyPem);
  },
  "the takeover of a regular current file": async ({ open, layout }, fileSystem) => {
    await open();
    await fileSystem.create(layout.currentPath, Buffer.from(old.certificatePem + old.keyPem), 0o600);
    await fileSystem.sync(layout.currentPath);
    await fileSystem.sync(layout.directory);
  },
};

const machine = aSealingMachine();
const KEYS: Readonly<Record<string, KeySeal | undefined>> = { plain: undefined, sealed: machine };
/** A plain file that a kubelet left is not a case of a machine that seals from its first day. */
const CASES = Object.entries(BEGINNINGS).flatMap(([sentence, begin]) =>
  Object.entries(KEYS)
    .filter(([keys]) => keys === "plain" || !sentence.includes("regular"))
    .map(([keys, keySeal]) => ({ sentence, begin, keys, keySeal })),
);

/** What a rotation is cut in: where, from what, and what it does. */
interface Cut {
  readonly root: string;
  readonly storeOn: (directory: string, fileSystem?: FileSystem) => CertificateStore;
  readonly begin: Begin;
  readonly act: (store: CertificateStore) => Promise<void>;
}

/** Leaves the disk as after a power failure; false when the rotation had ended before that many operations. */
async function loseAfter(operations: number, survival: Survival, { root, storeOn, begin, act }: Cut): Promise<boolean> {
  rmSync(root, { recursive: true, force: true });
  mkdirSync(root);
  const { fileSystem, twin } = await createMirroredFiles(root);
  const store = storeOn(root, fileSystem);
  await begin(store, fileSystem);
  twin.crashAfter(twin.operations() + operations);
  let isCut = false;
  try {
    await act(store);
  } catch (error) {
    if (!isFault(error, "internal")) throw error;
    isCut = true;
  }
  rmSync(root, { recursive: true });
  twin.afterCrash(survival).writeOut(root, root);
  return isCut;
}

describe.each(CASES)("power lost during $sentence with $keys keys", ({ sentence, begin, keySeal }) => {
  let root = "";
  beforeEach(() => {
    root = mkdtempSync(join(tmpdir(), "power-"));
  });
  afterEach(() => rmSync(root, { recursive: true, force: true }));

  const storeOn = (directory: string, fileSystem?: FileSystem) =>
    createCertificateStore({
      directory: join(directory, "pki"),
      ...{ clock, fileSystem, keySeal, sealKeys: keySeal !== undefined },
    });
  const keyIn = async (store: CertificateStore) => {
    const pair = store.load();
    return pair && (await store.unseal(pair)).keyPem;
  };
  const expectNothingPlain = () => {
    if (keySeal !== undefined) expect(plainKeysIn(root, [old.keyPem, fresh.keyPem])).toEqual([]);
  };

  /** What a start finds, and that it can go on from there. */
  async function startAgain(): Promise<"none" | "old" | "new"> {
    const store = storeOn(root);
    const { currentPath, directory } = storeLayout(join(root, "pki"));
    // What a kubelet that starts at once would find, before anything is repaired.
    if (existsSync(currentPath)) {
      expect(isSealed(parseStoredPair(readFileSync(currentPath, "utf8")))).toBe(keySeal !== undefined);
    }
    expectNothingPlain();
    await store.open();
    await store.repair("system:node:worker-1");
    const kept = await keyIn(store);
    expect(readdirSync(directory).filter((name) => name.startsWith(".") || name.includes("updated"))).toEqual([]);
    expect([undefined, fresh.keyPem]).toContain(await store.loadPendingKey());
    await rotate(store);
    expect(await keyIn(store)).toBe(fresh.keyPem);
    expectNothingPlain();
    expect(lstatSync(currentPath).isSymbolicLink()).toBe(true);
    if (kept === undefined) return "none";
    return kept === fresh.keyPem ? "new" : "old";
  }

  it.each(SURVIVALS)("leaves a usable pair or a clean new start, where of unsynced data survives: %s", async (kept) => {
    const seen = new Set<string>();
    const cut = { root, storeOn, begin, act: rotate };
    for (let operations = 0; await loseAfter(operations, kept, cut); operations++) seen.add(await startAgain());
    seen.add(await startAgain());
    expect(seen).toEqual(new Set([sentence === "a first certificate" ? "none" : "old", "new"]));
  });
});

describe("power lost while plain keys give way to sealed ones", () => {
  let root = "";
  beforeEach(() => {
    root = mkdtempSync(join(tmpdir(), "power-"));
  });
  afterEach(() => rmSync(root, { recursive: true, force: true }));

  const storeOn = (directory: string, fileSystem?: FileSystem) =>
    createCertificateStore({ directory: join(directory, "pki"), clock, fileSystem, keySeal: machine, sealKeys: true });

  /**
   * Everything that a node with plain keys may have left: its pair, the key of a request, an exchange, a file moved
   * aside.
   */
  const beginPlain: Begin = async ({ layout }, fileSystem) => {
    const plain = createCertificateStore({ directory: layout.directory, clock, fileSystem });
    await plain.open();
    await plain.save(old.certificatePem, old.keyPem);
    await plain.savePendingKey(old.keyPem);
    const aside = `${layout.currentPath}.damaged-1`;
    await fileSystem.create(aside, Buffer.from(`?${old.keyPem}`), 0o600);
    await fileSystem.create(layout.exchangePath, Buffer.from(JSON.stringify({ key: old.keyPem })), 0o600);
    for (const path of [aside, layout.exchangePath, layout.directory]) await fileSystem.sync(path);
  };

  /** As an exchange does it, which knows nothing of pending keys. */
  const exchange = async (store: CertificateStore) => {
    await store.open();
    await store.repair("system:node:worker-1");
    await store.save(fresh.certificatePem, fresh.keyPem);
  };

  const expectNothingPlain = () => expect(plainKeysIn(root, [old.keyPem, fresh.keyPem])).toEqual([]);

  async function startAgain(): Promise<"old" | "new"> {
    const store = storeOn(root);
    await store.repair("system:node:worker-1");
    const pair = store.load() ?? expect.fail("there is no current pair");
    if (isSealed(pair)) expectNothingPlain();
    expect((await store.unseal(pair)).keyPem).toBe(isSealed(pair) ? fresh.keyPem : old.keyPem);
    await exchange(store);
    expectNothingPlain();
    return isSealed(pair) ? "new" : "old";
  }

  it.each(SURVIVALS)("leaves the plain pair, or no plain key, where of unsynced data survives: %s", async (kept) => {
    const seen = new Set<string>();
    const cut = { root, storeOn, begin: beginPlain, act: exchange };
    for (let operations = 0; await loseAfter(operations, kept, cut); operations++) seen.add(await startAgain());
    expectNothingPlain();
    expect(seen).toEqual(new Set(["old", "new"]));
  });
});
