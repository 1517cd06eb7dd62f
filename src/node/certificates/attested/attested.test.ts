// The three ways to a certificate on the embedded API server, with a provider that has no TPM: what is kept, continued,
// paused and refused. The same with a real TPM and the real controller: test/journeys/join-with-tpm.test.ts.

import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { aRoot } from "../../../../test/builders/x509.ts";
import { type JoinableCluster, startJoinableCluster } from "../../../../test/fakes/joinable-cluster.ts";
import { patient } from "../../../../test/patience.ts";
import type { CertificateSigningRequest } from "../../../api/certificates/index.ts";
import { CONFIG_MAPS, CSRS } from "../../../api/meta/index.ts";
import {
  BEACON_CONFIG_MAP,
  CHALLENGE_ANNOTATION,
  draftRequest,
  encodeBeacon,
  finishRequest,
  SUPPORTED_VERSIONS_ANNOTATION,
} from "../../../attestation/evidence/index.ts";
import type { ExchangeProvider } from "../../../attestation/provider.ts";
import { Fault } from "../../../kernel/outcome/index.ts";
import { parsePem } from "../../../kernel/pem/index.ts";
import { readCertificates } from "../../../kernel/x509/index.ts";
import { systemClock } from "../../../platform/clock/index.ts";
import { createKubeClient, type KubeClient } from "../../../platform/kube/index.ts";
import { createCertificateStore, obtainCertificate } from "../index.ts";
import type { ObtainOptions } from "./claims.ts";

const SIGNER = "cluster.x-k8s.io/kube-apiserver-client-kubelet-example";

/** Proves nothing, in the form of an exchange; `fail` is called before each proof. */
function aProvider(fail: () => void = () => undefined, versions: readonly number[] = [1]): ExchangeProvider {
  const body = { kind: "installed", value: {} } as const;
  return {
    kind: "exchange",
    name: "example",
    protocols: versions.map((version) => ({ provider: "example", version })),
    canRenew: true,
    canServe: false,
    open: async () => ({
      hello: async (input) => finishRequest(draftRequest({ ...input, step: "hello" }), { body }),
      proof: async (input, { name, uid }) => {
        fail();
        return finishRequest(draftRequest({ ...input, step: "proof" }), { body, hello: { name, uid } });
      },
      renewal: async (input, { beacon: { epoch, kid } }) => {
        const draft = draftRequest({ ...input, step: "single" });
        return finishRequest(draft, { body, beacon: { epoch, kid } });
      },
      close: async () => undefined,
    }),
  };
}

describe("a certificate by exchange", () => {
  let cluster: JoinableCluster;
  let client: KubeClient;
  let directory: string;

  beforeAll(async () => {
    cluster = await startJoinableCluster();
    const { api, token } = cluster;
    client = createKubeClient({ server: api.url, caPem: api.caPem, credentials: () => ({ token }) });
  });
  afterAll(async () => {
    await client.close();
    await cluster.close();
  });
  beforeEach(async () => {
    directory = mkdtempSync(join(tmpdir(), "countersign-attested-"));
    for (const { metadata } of await cluster.listRequests()) {
      await cluster.admin.delete(CSRS, { name: metadata.name ?? "" });
    }
    cluster.decide((csr) => (isHello(csr) ? { kind: "leave" } : { kind: "sign" }));
  });
  afterEach(() => rmSync(directory, { recursive: true, force: true }));

  const isHello = ({ metadata }: CertificateSigningRequest) => metadata.name?.startsWith("countersign-hello-") === true;
  const hellos = async () => (await cluster.listRequests()).filter(isHello);

  /** Answers every hello of version 1 that comes, until it is told to stop. */
  function challenging(): () => Promise<void> {
    const stop = new AbortController();
    const work = (async () => {
      while (!stop.signal.aborted) {
        for (const { metadata } of (await hellos()).filter((csr) => protocolOf(csr) === "example/1")) {
          const annotations = { [CHALLENGE_ANNOTATION]: "a challenge" };
          await cluster.admin.patch(CSRS, { name: metadata.name ?? "" }, { metadata: { annotations } });
        }
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
    })();
    return async () => {
      stop.abort();
      await work;
    };
  }

  const obtain = (more: Partial<ObtainOptions> = {}) =>
    obtainCertificate({
      store: createCertificateStore({ directory, clock: systemClock }),
      client,
      nodeName: "worker-1",
      signerName: SIGNER,
      provider: aProvider(),
      evidenceCluster: "test",
      intent: "join",
      roots: readCertificates(cluster.api.caPem),
      isGood: () => false,
      onRefusal: "new-key",
      clock: systemClock,
      random: () => 1,
      limitMs: 10_000,
      ...more,
    });

  it("is stored, and nothing of the exchange is left", async () => {
    const stop = challenging();
    const said: string[] = [];
    const pair = await obtain({
      onAttested: () => said.push("attested"),
      onRequested: (name) => said.push(name.slice(0, 18)),
    });
    await stop();
    expect(pair.commonName).toBe("system:node:worker-1");
    expect(said).toEqual(["attested", "countersign-proof-"]);
    expect(existsSync(join(directory, "kubelet-client.exchange"))).toBe(false);
  });

  it("is seen through by one watch for each request, whatever else is written on it", async () => {
    const stop = challenging();
    const watched: string[] = [];
    const watch: KubeClient["watch"] = (resource, options) => {
      watched.push(
        options?.fieldSelector?.slice("metadata.name=".length, "metadata.name=countersign-hello".length) ?? "",
      );
      return client.watch(resource, options);
    };
    await obtain({ client: { ...client, watch } });
    await stop();
    expect(watched).toEqual(["countersign-hello", "countersign-proof"]);
  });

  it("that another CA signed is not taken, and the next try begins anew", async () => {
    const stop = challenging();
    const roots = [aRoot().certificate];
    await expect(obtain({ roots })).rejects.toThrow("CertificateUnexpected");
    await stop();
    expect(existsSync(join(directory, "kubelet-client.exchange"))).toBe(false);
  });

  it("goes on with the hello that waits, after an accident in between", async () => {
    const stop = challenging();
    const provider = aProvider(() => {
      throw new Fault("unavailable", "the machine's key is away");
    });
    await expect(obtain({ provider })).rejects.toMatchObject({ code: "unavailable" });
    const [first] = await hellos();
    await obtain();
    await stop();
    expect((await hellos()).map(({ metadata }) => metadata.uid)).toEqual([first?.metadata.uid]);
  });

  it("adopts what was created when its answer was lost", async () => {
    const lossy: KubeClient = {
      ...client,
      create: async (...args) => {
        await client.create(...args);
        throw new Fault("failed-request", "the process died here");
      },
    };
    await expect(obtain({ client: lossy })).rejects.toMatchObject({ code: "failed-request" });
    const stop = challenging();
    await obtain();
    await stop();
    expect(await hellos()).toHaveLength(1);
  });

  it("says what is awaited when its time is over, and nothing else", async () => {
    const failure = await obtain({ limitMs: 300 }).catch((error: unknown) => error);
    expect(failure).toMatchObject({ code: "timeout", message: expect.stringContaining("nobody has judged it yet") });
    expect(failure).not.toHaveProperty("cause");
    expect(existsSync(join(directory, "kubelet-client.exchange"))).toBe(true);
  });

  it("after a refusal a person may ask again at once, a plugin only after the pause", async () => {
    cluster.decide(() => ({ kind: "deny", reason: "IdentityRevoked", message: "it was sold" }));
    const denied = { code: "denied", detail: { next: "operator", reason: "IdentityRevoked", message: "it was sold" } };
    await expect(obtain()).rejects.toMatchObject(denied);
    await expect(obtain()).rejects.toMatchObject(denied);
    expect(await hellos()).toHaveLength(2);
    await expect(obtain({ onRefusal: "keep-key" })).rejects.toMatchObject({
      detail: { next: "operator", isPaused: true },
      message: expect.stringContaining("it was sold (asked again after"),
    });
    expect(await hellos()).toHaveLength(2);
  });

  it("begins no thirteenth exchange within an hour", async () => {
    cluster.decide(() => ({ kind: "deny", reason: "MachineMismatch", message: "no" }));
    for (let count = 0; count < 12; count++) await expect(obtain()).rejects.toMatchObject({ code: "denied" });
    await expect(obtain()).rejects.toMatchObject({ code: "too-many-requests" });
    expect(JSON.parse(readFileSync(join(directory, "kubelet-client.pace"), "utf8")).hellos).toHaveLength(12);
  });

  it("falls back to the best version that both speak, and else names both lists", async () => {
    cluster.decide((csr) => {
      if (!isHello(csr)) return { kind: "sign" };
      if (protocolOf(csr) !== "example/1") void refuseVersion(csr, '["example/1"]');
      return { kind: "leave" };
    });
    await expect(obtain({ provider: aProvider(undefined, [3]) })).rejects.toMatchObject({
      message: "NoCommonVersion: this machine speaks example/3, the controller example/1",
      detail: { next: "operator" },
    });
    const stop = challenging();
    await obtain({ provider: aProvider(undefined, [2, 1]) });
    await stop();
    expect((await hellos()).map(protocolOf).sort()).toEqual(["example/1", "example/2", "example/3"]);
  });

  function protocolOf({ spec }: CertificateSigningRequest): string {
    const [, block] = parsePem(Buffer.from(spec.request, "base64").toString());
    return Buffer.from(block?.bytes ?? []).toString();
  }

  async function refuseVersion({ metadata }: CertificateSigningRequest, versions: string): Promise<void> {
    const name = metadata.name ?? "";
    const annotations = { [SUPPORTED_VERSIONS_ANNOTATION]: versions };
    await cluster.admin.patch(CSRS, { name }, { metadata: { annotations } });
    const conditions = [
      { type: "Denied", status: "True", reason: "VersionUnsupported", message: "see the annotation" },
    ];
    await cluster.admin.patch(CSRS, { name, subresource: "approval" }, { status: { conditions } });
  }

  const exchangePath = () => join(directory, "kubelet-client.exchange");
  const saved = () => (existsSync(exchangePath()) ? JSON.parse(readFileSync(exchangePath(), "utf8")) : {});
  /** The process ends as soon as the server has the request. */
  async function stopWhenSent(step: "hello" | "proof", more: Partial<ObtainOptions> = {}): Promise<void> {
    const stop = new AbortController();
    const stopped = expect(obtain({ ...more, signal: stop.signal })).rejects.toMatchObject({ code: "aborted" });
    await vi.waitFor(() => expect(saved()[step]).toHaveProperty("uid"), { timeout: patient(10_000), interval: 10 });
    stop.abort();
    await stopped;
  }

  /**
   * The states of the machine's side in the specification, row by row: what a start finds, and what it does. Each first
   * try dies where the row says.
   */
  describe("found half done at a start", () => {
    const died = new Fault("failed-request", "the process died here");
    /** Dies at the create of a hello or of a proof, before the server has it or after. */
    const dying = (step: string, when: "before" | "after"): KubeClient => ({
      ...client,
      create: async (resource, object, ...rest) => {
        const isDue = object.metadata.name?.startsWith(`countersign-${step}-`) === true;
        if (isDue && when === "before") throw died;
        const created = await client.create(resource, object, ...rest);
        if (isDue) throw died;
        return created;
      },
    });
    async function dieAt(step: "hello" | "proof", when: "before" | "after"): Promise<void> {
      const stop = challenging();
      await expect(obtain({ client: dying(step, when) })).rejects.toBe(died);
      await stop();
    }
    const finish = async () => {
      const stop = challenging();
      try {
        return await obtain();
      } finally {
        await stop();
      }
    };
    const countOf = async (step: string) =>
      (await cluster.listRequests()).filter(({ metadata }) => metadata.name?.includes(`-${step}-`) === true).length;

    it("nothing: a new key and a hello", async () => {
      expect(existsSync(exchangePath())).toBe(false);
      await finish();
      expect([await countOf("hello"), await countOf("proof")]).toEqual([1, 1]);
    });

    it.each(["before", "after"] as const)("a hello that died %s the server had it: the same hello", async (when) => {
      await dieAt("hello", when);
      const { key, hello } = saved();
      expect(hello).not.toHaveProperty("uid");
      const { keyPem } = await finish();
      expect((await hellos()).map(({ metadata }) => metadata.name)).toEqual([hello.name]);
      expect(keyPem.trim()).toBe(key.trim());
    });

    it("a hello whose name somebody else has by now: all is dropped, with a word", async () => {
      await dieAt("hello", "before");
      const { name, request, signerName, usages } = saved().hello;
      const spec = { request, signerName, usages };
      const meta = { apiVersion: "certificates.k8s.io/v1", kind: "CertificateSigningRequest", metadata: { name } };
      await cluster.admin.create(CSRS, { ...meta, spec } as CertificateSigningRequest);
      await expect(obtain()).rejects.toMatchObject({ code: "conflict", detail: { next: "back-off" } });
      expect(existsSync(exchangePath())).toBe(false);
    });

    it("a hello that waits: its challenge is waited for", async () => {
      await stopWhenSent("hello");
      await finish();
      expect(await countOf("hello")).toBe(1);
    });

    it("a hello that is gone: all is dropped, and the next start begins anew", async () => {
      await stopWhenSent("hello");
      await cluster.admin.delete(CSRS, { name: saved().hello.name });
      await expect(obtain()).rejects.toMatchObject({ code: "expired", detail: { next: "back-off" } });
      expect(existsSync(exchangePath())).toBe(false);
      await finish();
    });

    it.each(["before", "after"] as const)("a proof that died %s the server had it: the same proof", async (when) => {
      await dieAt("proof", when);
      const { proof } = saved();
      expect(proof).not.toHaveProperty("uid");
      await finish();
      const proofs = (await cluster.listRequests()).filter((csr) => !isHello(csr));
      expect(proofs.map(({ metadata }) => metadata.name)).toEqual([proof.name]);
    });

    async function waitForProof(): Promise<string> {
      cluster.decide(() => ({ kind: "leave" }));
      const stop = challenging();
      await stopWhenSent("proof");
      await stop();
      return saved().proof.name;
    }

    it("a proof that was signed meanwhile: its certificate is stored, nothing is asked for", async () => {
      await cluster.sign(await waitForProof());
      await obtain();
      expect([await countOf("hello"), await countOf("proof"), existsSync(exchangePath())]).toEqual([1, 1, false]);
    });

    it("a proof that is gone: all is dropped", async () => {
      await cluster.admin.delete(CSRS, { name: await waitForProof() });
      await expect(obtain()).rejects.toMatchObject({ code: "expired" });
      expect(existsSync(exchangePath())).toBe(false);
    });

    it.each(["ChallengeExpired", "ChallengeUnknown", "ChallengeConsumed"])(
      "a proof that was denied with %s: a new hello at once, and only once",
      async (reason) => {
        cluster.decide((csr) => (isHello(csr) ? { kind: "leave" } : { kind: "deny", reason, message: "late" }));
        await expect(finish()).rejects.toMatchObject({ code: "denied", detail: { next: "back-off", reason } });
        expect([await countOf("hello"), await countOf("proof"), existsSync(exchangePath())]).toEqual([2, 2, false]);
      },
    );

    it("a proof that was denied for another reason: a pause", async () => {
      cluster.decide((csr) =>
        isHello(csr) ? { kind: "leave" } : { kind: "deny", reason: "MachineMismatch", message: "no" },
      );
      await expect(finish()).rejects.toMatchObject({ code: "denied", detail: { next: "back-off" } });
      expect(await countOf("proof")).toBe(1);
      const { pause } = JSON.parse(readFileSync(join(directory, "kubelet-client.pace"), "utf8"));
      expect(pause).toMatchObject({ next: "back-off", untilMs: expect.any(Number) });
    });
  });

  describe("renewed", () => {
    const { namespace, name, key } = BEACON_CONFIG_MAP;
    const offer = (text: string) =>
      cluster.admin.create(CONFIG_MAPS, {
        apiVersion: "v1",
        kind: "ConfigMap",
        metadata: { namespace, name },
        data: { [key]: text },
      });
    const beacon = encodeBeacon({ epoch: 5_982_574, kid: "00c0ffee", nonce: new Uint8Array(32) });
    // In place of a node that the API server lets read the beacon; the real right is tried with the real controller.
    const renew = (more: Partial<ObtainOptions> = {}) => obtain({ intent: "renew", client: cluster.admin, ...more });
    const names = async () => (await cluster.listRequests()).map(({ metadata }) => metadata.name?.slice(0, 19)).sort();
    afterEach(async () => {
      await cluster.admin.delete(CONFIG_MAPS, { namespace, name }).catch(() => undefined);
    });

    it("by one request, where the cluster shows a beacon", async () => {
      await offer(beacon);
      const said: string[] = [];
      await renew({ onAttested: () => said.push("attested") });
      expect(await names()).toEqual(["countersign-single-"]);
      expect(said).toEqual(["attested"]);
      expect(existsSync(join(directory, "kubelet-client.exchange"))).toBe(false);
    });

    it("by the same request after a crash, not by another one", async () => {
      await offer(beacon);
      cluster.decide(() => ({ kind: "leave" }));
      await stopWhenSent("proof", { intent: "renew", client: cluster.admin });
      const [left] = await cluster.listRequests();
      await cluster.sign(left?.metadata.name ?? "");
      await renew();
      expect((await cluster.listRequests()).map(({ metadata }) => metadata.uid)).toEqual([left?.metadata.uid]);
    });

    const FULL: Record<string, [text: string | undefined, reason: string | undefined]> = {
      "there is no beacon": [undefined, undefined],
      "what is there is no beacon": ['{"epoch":1}', undefined],
      "the beacon is over": [beacon, "BeaconExpired"],
      "the policy has changed its mind": [beacon, "RenewalNeedsExchange"],
      "other PCRs are asked for by now": [beacon, "PcrSelectionMismatch"],
    };
    it.each(Object.entries(FULL))("by a full exchange, at once, where %s", async (_, [text, reason]) => {
      if (text !== undefined) await offer(text);
      const isSingle = (csr: CertificateSigningRequest) =>
        csr.metadata.name?.startsWith("countersign-single-") === true;
      cluster.decide((csr) => {
        if (isSingle(csr)) return { kind: "deny", reason: reason ?? "", message: "no" };
        return isHello(csr) ? { kind: "leave" } : { kind: "sign" };
      });
      const stop = challenging();
      await renew();
      await stop();
      const single = reason === undefined ? [] : ["countersign-single-"];
      expect(await names()).toEqual(
        ["countersign-hello-", "countersign-proof-", ...single].map((start) => expect.stringContaining(start)),
      );
    });

    it("not at all for a reason that only an operator can lift", async () => {
      await offer(beacon);
      cluster.decide(() => ({ kind: "deny", reason: "IdentityRevoked", message: "it was sold" }));
      await expect(renew()).rejects.toMatchObject({ code: "denied", detail: { next: "operator" } });
      expect(await names()).toEqual(["countersign-single-"]);
    });

    it("by a full exchange at a join, whatever the cluster shows", async () => {
      await offer(beacon);
      const stop = challenging();
      await obtain({ client: cluster.admin });
      await stop();
      expect(await hellos()).toHaveLength(1);
    });
  });

  const REFUSED: Record<string, [Partial<ObtainOptions>, string]> = {
    "a signer of another provider": [{ signerName: `${SIGNER}-other` }, "is not for evidence of provider example"],
    "a serving certificate of one that cannot serve": [
      { serving: { dnsNames: [], ipAddresses: ["10.0.0.1"] }, intent: "renew" },
      "ProviderCannotServe",
    ],
    "a renewal of one that cannot renew": [
      { provider: { ...aProvider(), canRenew: false }, intent: "renew" },
      "ProviderCannotRenew",
    ],
    "a cluster that nobody named": [{ evidenceCluster: "" }, "which cluster is meant is not known"],
  };
  it.each(Object.entries(REFUSED))("is not even asked for with %s", async (_, [options, message]) => {
    await expect(obtain(options)).rejects.toMatchObject({
      code: "bad-config",
      message: expect.stringContaining(message),
    });
    expect(await hellos()).toEqual([]);
  });
});
