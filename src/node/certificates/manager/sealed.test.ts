// A manager with sealed keys: it opens what it takes from the disk, and a failing TPM costs nothing but time.
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { aSealingMachine, plainKeysIn, type SealingMachine } from "../../../../test/builders/key-seal.ts";
import { aManagedNode, type ManagedNode } from "../../../../test/builders/managed-node.ts";
import { type JoinableCluster, startJoinableCluster } from "../../../../test/fakes/joinable-cluster.ts";
import { Fault, isFault } from "../../../kernel/outcome/index.ts";
import { createCertificateStore } from "../store/store.ts";

const MINUTE_MS = 60_000;
const SIGN = { kind: "sign", lifetimeMs: 20 * MINUTE_MS } as const;

describe("a certificate manager over sealed keys", () => {
  let cluster: JoinableCluster;
  let node: ManagedNode;
  let machine: SealingMachine;
  beforeEach(async () => {
    cluster = await startJoinableCluster();
    cluster.decide(() => SIGN);
    node = aManagedNode(cluster);
    machine = aSealingMachine();
  });
  afterEach(async () => {
    await cluster.close();
    node.remove();
  });

  const pki = () => join(node.directory, "pki");
  const store = (sealKeys?: boolean) =>
    createCertificateStore({ directory: pki(), clock: node.clock, keySeal: machine, sealKeys });

  async function joined(): Promise<string> {
    const { stop } = node.run({ store: store(true) });
    const { pair } = await node.untilEvent("stored");
    await stop();
    expect(plainKeysIn(node.directory, [pair.keyPem])).toEqual([]);
    node.events.length = 0;
    return pair.keyPem;
  }

  it("takes its pair up again after a restart, and rotates it sealed", async () => {
    const keyPem = await joined();
    const { manager, stop } = node.run({ store: store() });
    expect((await node.untilEvent("using")).pair.keyPem).toBe(keyPem);
    expect(manager.current()?.keyPem).toBe(keyPem);
    const { pair } = await node.untilEvent("stored");
    expect(pair.keyPem).not.toBe(keyPem);
    expect(plainKeysIn(node.directory, [keyPem, pair.keyPem])).toEqual([]);
    await stop();
  });

  it("waits for a TPM that does not answer: it asks for no other certificate, and goes on when it does", async () => {
    const keyPem = await joined();
    machine.trouble = new Fault("timeout", "no answer from TPM");
    const before = readdirSync(pki());
    const { manager, stop } = node.run({ store: store() });
    expect((await node.untilEvent("failed")).fault).toBe(machine.trouble);
    expect(manager.current()).toBeUndefined();
    expect(readdirSync(pki())).toEqual(before);
    expect(await cluster.listRequests()).toHaveLength(1);
    machine.trouble = undefined;
    expect((await node.untilEvent("using")).pair.keyPem).toBe(keyPem);
    await stop();
  });

  it("ends after its limit when the key does not open, and says why", async () => {
    await joined();
    machine.trouble = new Fault("untrusted", "this key was sealed by another TPM");
    const { ending } = node.run({ store: store(), startLimitMs: 5 * MINUTE_MS });
    const end = await node.until("the limit", ending);
    expect(isFault(end, "timeout") && end.retryable).toBe(true);
    expect(String(end)).toContain("no valid certificate for 300 s: this key was sealed by another TPM");
    expect(await cluster.listRequests()).toHaveLength(1);
  });

  it("does not need the key of a certificate that is over", async () => {
    await joined();
    await node.clock.advance(21 * MINUTE_MS);
    cluster.decide(() => ({ kind: "sign", lifetimeMs: 60 * MINUTE_MS }));
    const opener = { ...machine, open: async () => Promise.reject(new Fault("untrusted", "sealed by another TPM")) };
    const other = createCertificateStore({ directory: pki(), clock: node.clock, keySeal: opener });
    const { stop } = node.run({ store: other });
    expect((await node.untilEvent("asking")).as).toBe("bootstrap");
    await node.untilEvent("stored");
    await stop();
  });

  it("renews for a person who waits, or tells him at once what is wrong with the TPM", async () => {
    await joined();
    machine.trouble = new Fault("unavailable", "TPM is locked out");
    await expect(node.manager({ store: store() }).renew()).rejects.toBe(machine.trouble);
    machine.trouble = undefined;
    const renewed = await node.manager({ store: store() }).renew();
    expect(plainKeysIn(node.directory, [renewed.keyPem])).toEqual([]);
  });
});
