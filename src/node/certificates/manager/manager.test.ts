import { existsSync, readFileSync } from "node:fs";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { accessTo, aManagedNode, type ManagedNode } from "../../../../test/builders/managed-node.ts";
import { aNodeCa } from "../../../../test/builders/node-ca.ts";
import { type Decision, type JoinableCluster, startJoinableCluster } from "../../../../test/fakes/joinable-cluster.ts";
import { isFault } from "../../../kernel/outcome/index.ts";
import { readCertificates } from "../../../kernel/x509/index.ts";
import { parsePair } from "../../../platform/pair/index.ts";
import { createCertificateStore } from "../store/store.ts";

const MINUTE_MS = 60_000;
const HOUR_MS = 3_600_000;
const LIFE_MS = 2 * MINUTE_MS;
const SIGN = { kind: "sign", lifetimeMs: LIFE_MS } as const;

describe("a certificate manager", () => {
  let cluster: JoinableCluster;
  let node: ManagedNode;

  beforeEach(async () => {
    cluster = await startJoinableCluster();
    cluster.decide(() => SIGN);
    node = aManagedNode(cluster);
  });
  afterEach(async () => {
    await cluster.close();
    node.remove();
  });

  const requesters = async () => (await cluster.listRequests()).map(({ spec }) => spec.username ?? "");

  it("asks for a first certificate with the bootstrap credential and keeps it", async () => {
    const { manager, stop } = node.run();
    const { pair, why } = await node.untilEvent("stored");
    expect(why).toBe("no-certificate");
    expect(manager.current()).toBe(pair);
    expect(node.store.load()?.certificatePem).toBe(pair.certificatePem);
    expect(existsSync(node.store.layout.pendingKeyPath)).toBe(false);
    expect(await requesters()).toEqual(["system:bootstrap:abcdef"]);
    expect(await stop()).toBe("stopped");
  });

  it("asks for the next one as the node itself, with another key, between 70 and 90 % of its life", async () => {
    const { stop } = node.run();
    const first = await node.untilEvent("stored");
    const bornMs = node.clock.now();
    expect(await node.untilEvent("asking")).toMatchObject({ why: "due", as: "node" });
    const share = (node.clock.now() - bornMs) / (first.pair.notAfterMs - bornMs);
    expect(share).toBeGreaterThan(0.69);
    expect(share).toBeLessThan(0.92);
    const second = await node.untilEvent("stored");
    expect(second.pair.keyPem).not.toBe(first.pair.keyPem);
    expect(await requesters()).toContain("system:node:worker-1");
    await stop();
  });

  it("resumes the request of an earlier start instead of filing another", async () => {
    cluster.decide(() => ({ kind: "leave" }));
    const before = node.run();
    await node.untilEvent("request");
    await before.stop();
    const key = readFileSync(node.store.layout.pendingKeyPath, "utf8");
    const { stop } = node.run();
    expect(await node.untilEvent("requested")).toMatchObject({ reused: true });
    const [csr] = await cluster.listRequests();
    expect(await cluster.listRequests()).toHaveLength(1);
    await cluster.sign(csr?.metadata.name ?? "");
    expect((await node.untilEvent("stored")).pair.keyPem.trim()).toBe(key.trim());
    await stop();
  });

  it("tells a denial from an accident, waits longer after it and asks with a new key", async () => {
    cluster.decide(() => ({ kind: "deny", reason: "NoAttestation", message: "who are you" }));
    const { stop } = node.run();
    const denied = await node.untilEvent("failed");
    expect(denied.fault.code).toBe("denied");
    expect(denied.fault.message).toMatch(/NoAttestation: who are you/);
    expect(denied.retryMs).toBeGreaterThanOrEqual(30_000);
    cluster.decide(() => SIGN);
    await node.untilEvent("stored");
    expect(new Set((await cluster.listRequests()).map(({ metadata }) => metadata.name)).size).toBe(2);
    await stop();
  });

  it("ends with a retriable fault after five minutes without a certificate, and says what was awaited", async () => {
    cluster.decide(() => ({ kind: "leave" }));
    const { ending } = node.run({ startLimitMs: 5 * MINUTE_MS });
    const end = await node.until("the limit", ending);
    expect(isFault(end, "timeout") && end.retryable).toBe(true);
    expect(String(end)).toMatch(/no valid certificate for 300 s: .*nobody has judged it yet/);
    expect(existsSync(node.store.layout.pendingKeyPath)).toBe(true);
  });

  it("bootstraps again when the stored certificate has expired", async () => {
    const old = aNodeCa().issueNode({ notAfterMs: node.clock.now() - 1 });
    await node.store.open();
    await node.store.save(old.certificatePem, old.keyPem);
    const { manager, stop } = node.run();
    expect(manager.current()).toBeUndefined();
    expect(await node.untilEvent("stored")).toMatchObject({ why: "expired" });
    expect(await requesters()).toEqual(["system:bootstrap:abcdef"]);
    await stop();
  });

  it("bootstraps again when the server does not know the stored certificate any more", async () => {
    const foreign = aNodeCa("a CA of yesterday").issueNode();
    await node.store.open();
    await node.store.save(foreign.certificatePem, foreign.keyPem);
    const { manager, stop } = node.run();
    expect(await node.untilEvent("stored")).toMatchObject({ why: "refused" });
    expect(manager.current()?.certificatePem).not.toBe(foreign.certificatePem);
    expect(await requesters()).toEqual(["system:bootstrap:abcdef"]);
    await stop();
  });

  it("goes back to its own certificate when the bootstrap credential is refused as well", async () => {
    const foreign = aNodeCa("a CA of yesterday").issueNode();
    await node.store.open();
    await node.store.save(foreign.certificatePem, foreign.keyPem);
    const { manager, stop } = node.run({ access: accessTo({ ...cluster, token: "abcdef.fedcba9876543210" }) });
    expect((await node.untilEvent("failed")).fault.code).toBe("unauthorized");
    expect(manager.current()?.certificatePem).toBe(foreign.certificatePem);
    await stop();
    expect(await requesters()).toEqual([]);
  });

  it.each([
    ["hours ahead of", 3 * HOUR_MS],
    ["hours behind", -3 * HOUR_MS],
  ])("survives a clock that is %s the server's", async (_, offMs) => {
    const skewed = aManagedNode(cluster, Date.now() + offMs);
    const { manager, stop } = skewed.run();
    const { pair } = await skewed.untilEvent("stored");
    expect(manager.current()).toBe(pair);
    const skew = skewed.events.find((event) => event.kind === "skew");
    expect(Math.abs((skew?.skewMs ?? 0) + offMs)).toBeLessThan(MINUTE_MS);
    // By the server's clock it is due within its life, whatever ours says.
    const bornMs = skewed.clock.now();
    await skewed.untilEvent("asking");
    expect(skewed.clock.now() - bornMs).toBeLessThan(LIFE_MS);
    expect(skewed.clock.now() - bornMs).toBeGreaterThan(LIFE_MS / 2);
    await stop();
    skewed.remove();
  });

  it("takes up a pair that somebody else stored, and tells its followers", async () => {
    const { manager, stop } = node.run();
    await node.untilEvent("stored");
    const told: string[] = [];
    manager.onChange(({ certificatePem }) => told.push(certificatePem));
    const other = await node.manager().renew();
    await node.until("the change", () =>
      manager.current()?.certificatePem === other.certificatePem ? true : undefined,
    );
    expect(told).toEqual([other.certificatePem]);
    await stop();
  });

  it("asks for nothing while rotation is switched off", async () => {
    const { certPem, keyPem } = cluster.api.issueClientCertificate({
      user: "system:node:worker-1",
      groups: ["system:nodes"],
      lifetimeMs: 2 * MINUTE_MS,
    });
    const initial = { pair: parsePair(certPem + keyPem), renewAtOnce: true };
    const { manager, stop } = node.run({ isEnabled: false, initial });
    await node.clock.advance(MINUTE_MS);
    expect(manager.current()).toBe(initial.pair);
    await node.clock.advance(2 * MINUTE_MS);
    expect(manager.current()).toBeUndefined();
    expect(await stop()).toBe("stopped");
    expect(await cluster.listRequests()).toEqual([]);
  });

  it("renews the pair of a kubeconfig's data at once, as a kubelet does", async () => {
    const { certPem, keyPem } = cluster.api.issueClientCertificate({
      user: "system:node:worker-1",
      groups: ["system:nodes"],
    });
    const { stop } = node.run({ initial: { pair: parsePair(certPem + keyPem), renewAtOnce: true } });
    expect(await node.untilEvent("stored")).toMatchObject({ why: "asked" });
    expect(await requesters()).toEqual(["system:node:worker-1"]);
    await stop();
  });

  it("uses what a provider without proof got to its end, then starts over with the bootstrap credential", async () => {
    const signerName = "cluster.x-k8s.io/kube-apiserver-client-kubelet-insecure";
    const { stop } = node.run({ signerName });
    const { pair } = await node.untilEvent("stored");
    expect(await node.untilEvent("stored")).toMatchObject({ why: "expired" });
    expect(node.clock.now()).toBeGreaterThanOrEqual(pair.notAfterMs);
    expect(await requesters()).toEqual(["system:bootstrap:abcdef", "system:bootstrap:abcdef"]);
    await stop();
  });

  describe("for a serving certificate", () => {
    let serving: Decision = { kind: "sign" };
    let names = { dnsNames: ["worker-1"], ipAddresses: ["192.0.2.10"] };
    const held = (manager: { current(): { certificatePem: string } | undefined }) =>
      readCertificates(manager.current()?.certificatePem ?? "")[0]?.subjectAltNames?.ipAddresses;

    async function startServing() {
      cluster.decide((csr) => (csr.spec.usages.includes("server auth") ? serving : { kind: "sign" }));
      const client = node.manager();
      await client.renew();
      const { directory } = node.store.layout;
      return node.run({
        store: createCertificateStore({ directory, purpose: "server", clock: node.clock }),
        signerName: "kubernetes.io/kubelet-serving",
        serving: () => names,
        identity: client.current,
      });
    }

    it("asks as the node for its names, and again when they change", async () => {
      const { manager, stop } = await startServing();
      await node.untilEvent("stored");
      expect(held(manager)).toEqual(["192.0.2.10"]);
      names = { dnsNames: ["worker-1"], ipAddresses: ["192.0.2.10", "192.0.2.11"] };
      expect(await node.untilEvent("stored")).toMatchObject({ why: "names-changed" });
      expect(held(manager)).toEqual(["192.0.2.10", "192.0.2.11"]);
      expect(existsSync(`${node.store.layout.directory}/kubelet-server-current.pem`)).toBe(true);
      const serving = (await cluster.listRequests()).filter(({ spec }) => spec.usages.includes("server auth"));
      expect(serving.map(({ spec }) => spec.username)).toEqual(["system:node:worker-1", "system:node:worker-1"]);
      await stop();
    });

    it("gives up a request for names that it no longer has", async () => {
      serving = { kind: "leave" };
      const { manager, stop } = await startServing();
      await node.untilEvent("requested");
      serving = { kind: "sign" };
      names = { dnsNames: ["worker-1"], ipAddresses: ["192.0.2.99"] };
      await node.untilEvent("stored");
      expect(held(manager)).toEqual(["192.0.2.99"]);
      await stop();
    });
  });
});
