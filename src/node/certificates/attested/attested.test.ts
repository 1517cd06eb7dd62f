// The three ways to a certificate on the embedded API server, with a provider that has no TPM: what is kept, gone on with, paused
// and refused. The same with a real TPM and the real controller: test/journeys/join-with-tpm.test.ts.

import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { type JoinableCluster, startJoinableCluster } from "../../../../test/fakes/joinable-cluster.ts";
import type { CertificateSigningRequest } from "../../../api/certificates/index.ts";
import { CSRS } from "../../../api/meta/index.ts";
import {
  CHALLENGE_ANNOTATION,
  draftRequest,
  finishRequest,
  SUPPORTED_VERSIONS_ANNOTATION,
} from "../../../attestation/evidence/index.ts";
import type { ExchangeProvider } from "../../../attestation/providers/index.ts";
import { Fault } from "../../../kernel/outcome/index.ts";
import { parsePem } from "../../../kernel/pem/index.ts";
import { readCertificates } from "../../../kernel/x509/index.ts";
import { systemClock } from "../../../platform/clock/index.ts";
import { createKubeClient, type KubeClient } from "../../../platform/kube/index.ts";
import { createCertificateStore, type ObtainOptions, obtainCertificate } from "../index.ts";

const SIGNER = "cluster.x-k8s.io/kube-apiserver-client-kubelet-example";

/** Proves nothing, in the form of an exchange; `fail` is called before each proof. */
function aProvider(fail: () => void = () => undefined, versions: readonly number[] = [1]): ExchangeProvider {
  const body = { kind: "other", value: {} } as const;
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
      clusterId: "test",
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
    "a cluster that nobody named": [{ clusterId: "" }, "which cluster is meant is not known"],
  };
  it.each(Object.entries(REFUSED))("is not even asked for with %s", async (_, [options, message]) => {
    await expect(obtain(options)).rejects.toMatchObject({
      code: "bad-config",
      message: expect.stringContaining(message),
    });
    expect(await hellos()).toEqual([]);
  });
});
