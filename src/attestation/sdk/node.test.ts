// The adapter between the SDK and the wire: what it sends is read back as the controller reads it, and both sides
// compute one digest.

import type { EvidenceRequest, NodeProvider } from "@countersign/sdk";
import { describe, expect, it } from "vitest";
import { Fault } from "../../kernel/outcome/index.ts";
import { parseCertificateRequest } from "../../kernel/x509/index.ts";
import { systemClock } from "../../platform/clock/index.ts";
import { generatePrivateKey } from "../../platform/keys/index.ts";
import {
  deriveChallengeKeys,
  encodeChallenge,
  type FinishedRequest,
  type Freshness,
  parseBlocks,
  parseEnvelope,
  type Statement,
  transcriptDigest,
} from "../evidence/index.ts";
import { createSdkProvider } from "./node.ts";

const statement: Statement = {
  intent: "join",
  purpose: "client",
  signer: "cluster.x-k8s.io/kube-apiserver-client-kubelet-example",
  node: "worker-1",
  providerId: "example:///worker-1",
  cluster: "prod",
  offered: ["example/1"],
};
const protocol = { provider: "example", version: 1 };
const key = generatePrivateKey("P-256").signer;
const input = { statement, protocol, key };
const options = { clock: systemClock, signal: new AbortController().signal };
const HELLO_UID = "0b8a2c2e-4f52-4c5a-9a55-6b7d1a3c9e10";

function aProvider(freshness: NodeProvider["freshness"], seen: EvidenceRequest[] = []): NodeProvider {
  return {
    name: "example",
    contractVersion: 1,
    versions: [1],
    freshness,
    canRenew: true,
    canServe: false,
    providerId: async ({ nodeName }) => `example:///${nodeName}`,
    hello: async () => ({ key: "k" }),
    attest: async (request) => {
      seen.push(request);
      return { digest: Buffer.from(request.digest).toString("hex") };
    },
  };
}

/** As the controller reads it. */
function read({ request }: FinishedRequest) {
  const blocks = parseBlocks(request);
  const envelope = parseEnvelope(blocks.content, blocks.protocol ?? protocol);
  const pkcs10 = parseCertificateRequest(blocks.request);
  const digestFor = (freshness: Freshness) =>
    Buffer.from(
      transcriptDigest({ statement: envelope, protocol, spki: pkcs10.publicKey.spki, cri: pkcs10.tbs, freshness }),
    ).toString("hex");
  return { envelope, pkcs10, digestFor };
}

function challengeFor(hello: FinishedRequest, alg: "nonce" | "tpm2-credential" = "nonce", version = 1) {
  const core = { iat: 1, exp: 301, kid: "00c0ffee", nonce: new Uint8Array(16), protocol: { ...protocol, version } };
  const tpm = { credentialBlob: new Uint8Array(3), encryptedSecret: new Uint8Array(3), pcrs: [0] };
  const keys = deriveChallengeKeys(core.kid, new Uint8Array(32));
  const challenged = { cluster: statement.cluster, helloRequest: hello.request, helloUid: HELLO_UID };
  const annotation = encodeChallenge(keys, alg === "nonce" ? { alg, ...core } : { alg, ...core, ...tpm }, challenged);
  return { name: hello.name, uid: HELLO_UID, request: hello.request, annotation };
}

async function open(seen?: EvidenceRequest[]) {
  return await openWith(aProvider("challenge", seen), options.signal);
}

async function openWith(overrides: Partial<NodeProvider>, signal: AbortSignal) {
  const adapted = createSdkProvider({ ...aProvider("challenge"), ...overrides });
  if (adapted.kind !== "exchange") throw new TypeError("a challenge needs an exchange");
  return await adapted.open({ ...options, signal });
}

describe("a provider of the SDK on the wire", () => {
  it("says what it is, as the product's own do", async () => {
    const adapted = createSdkProvider(aProvider("time-limited"));
    expect(adapted).toMatchObject({ kind: "single", name: "example", protocols: [protocol], canRenew: true });
    expect(await adapted.providerId?.("worker-1", options.signal)).toBe("example:///worker-1");
  });

  it("sends one request where its proof has a time limit, with its own object under data", async () => {
    const adapted = createSdkProvider(aProvider("time-limited"));
    if (adapted.kind !== "single") throw new TypeError("a time limit needs one request");
    const prover = await adapted.open(options);
    const { envelope, digestFor } = read(await prover.single(input));
    expect(envelope).toMatchObject({ step: "single", hello: undefined, beacon: undefined });
    expect(envelope.body).toEqual({ kind: "installed", value: { digest: digestFor({ kind: "none" }) } });
    await prover.close();
  });

  it("says hello, and answers the challenge with a digest that contains it", async () => {
    const seen: EvidenceRequest[] = [];
    const prover = await open(seen);
    const hello = await prover.hello(input);
    expect(read(hello).envelope).toMatchObject({ step: "hello", body: { kind: "installed", value: { key: "k" } } });
    const sent = challengeFor(hello);
    const { envelope, digestFor } = read(await prover.proof(input, sent));
    const { request: helloRequest, annotation } = sent;
    const digest = digestFor({ kind: "challenge", helloRequest, helloUid: HELLO_UID, annotation });
    expect(envelope).toMatchObject({ step: "proof", hello: { name: hello.name, uid: HELLO_UID } });
    expect(envelope.body).toEqual({ kind: "installed", value: { digest } });
    expect(seen).toMatchObject([{ nodeName: "worker-1", protocol: "example/1", cluster: "prod", intent: "join" }]);
    expect(annotation).toContain('"alg":"nonce"');
  });

  it("answers no challenge of another kind or version", async () => {
    const prover = await open();
    const hello = await prover.hello(input);
    for (const sent of [challengeFor(hello, "tpm2-credential"), challengeFor(hello, "nonce", 2)])
      await expect(prover.proof(input, sent)).rejects.toMatchObject({
        code: "unsupported",
        message: expect.stringContaining("ChallengeUnexpected"),
      });
  });

  it("cannot send what canonical JSON cannot carry", async () => {
    const provider = { ...aProvider("time-limited"), attest: async () => ({ name: "nœud" }) };
    const adapted = createSdkProvider(provider);
    if (adapted.kind !== "single") throw new TypeError("a time limit needs one request");
    const prover = await adapted.open(options);
    await expect(prover.single(input)).rejects.toThrow(expect.objectContaining({ name: "Fault" }));
  });

  /** Each way to ask a provider something, with what it was told to answer. */
  const ASKED: Readonly<Record<string, (answer: () => Promise<never>, signal: AbortSignal) => Promise<unknown>>> = {
    "which machine this is": async (providerId, signal) =>
      await createSdkProvider({ ...aProvider("challenge"), providerId }).providerId?.("worker-1", signal),
    "for a proof in one": async (attest, signal) => {
      const adapted = createSdkProvider({ ...aProvider("time-limited"), attest });
      if (adapted.kind !== "single") throw new TypeError("a time limit needs one request");
      return await (await adapted.open({ ...options, signal })).single(input);
    },
    "for a hello": async (hello, signal) => await (await openWith({ hello }, signal)).hello(input),
    "for a proof": async (attest, signal) => {
      const prover = await openWith({ attest }, signal);
      return await prover.proof(input, challengeFor(await prover.hello(input)));
    },
  };
  const refusedTwice = Object.assign(new AggregateError([], ""), { code: "ECONNREFUSED" });
  const THROWN: Readonly<Record<string, [answer: () => Promise<never>, words: string]>> = {
    "an error": [async () => Promise.reject(new RangeError("no route to\nthe platform")), "no route to the platform"],
    "an error with a cause": [
      async () =>
        Promise.reject(new TypeError("fetch failed", { cause: new Error("connect ECONNREFUSED 127.0.0.1:9") })),
      "fetch failed: connect ECONNREFUSED 127.0.0.1:9",
    ],
    "an error of several addresses": [
      async () => Promise.reject(new TypeError("fetch failed", { cause: refusedTwice })),
      "fetch failed: ECONNREFUSED",
    ],
    "an error without words": [async () => Promise.reject(new Error("")), "a thrown object"],
    "before it promised": [() => raise(new TypeError("x is not a function")), "x is not a function"],
    "a text": [async () => Promise.reject("out of cheese"), "out of cheese"],
    "nothing at all": [async () => Promise.reject(undefined), "a thrown undefined"],
    "what cannot be a text": [async () => Promise.reject(Object.create(null)), "a thrown object"],
    "our own fault": [async () => Promise.reject(new Fault("untrusted", "mine", { detail: { next: "x" } })), "mine"],
  };
  const raise = (thrown: unknown): never => {
    throw thrown;
  };

  for (const [what, ask] of Object.entries(ASKED)) {
    it.each(Object.entries(THROWN))(`asked ${what}, may throw %s: whoever asked may try again`, async (_, thrown) => {
      const [answer, words] = thrown;
      const failure = await ask(answer, options.signal).catch((error: unknown) => error);
      expect(failure).toMatchObject({ name: "Fault", code: "unavailable", retryable: true, detail: {} });
      expect(failure).toHaveProperty("message", `provider example cannot prove this machine: ${words}`);
    });

    it(`asked ${what}, may not end when it is told to: it is left behind`, async () => {
      const never = () => new Promise<never>(() => undefined);
      await expect(ask(never, AbortSignal.timeout(10))).rejects.toMatchObject({ name: "Fault", code: "aborted" });
    });
  }

  it.each([[undefined], [7], [""], [" i-1 "], ["nœud"], [{ id: "i-1" }]])("may not call its machine %j", async (id) => {
    const adapted = createSdkProvider({ ...aProvider("challenge"), providerId: async () => id as string });
    await expect(adapted.providerId?.("worker-1", options.signal)).rejects.toMatchObject({
      code: "invalid",
      message: "provider example must name this machine in 1 to 512 printable characters",
    });
  });

  it.each([[undefined], [null], ["text"], [["list"]]])("has no evidence where it answers %j", async (evidence) => {
    const prover = await openWith({ attest: async () => evidence as never }, options.signal);
    const hello = await prover.hello(input);
    await expect(prover.proof(input, challengeFor(hello))).rejects.toMatchObject({
      code: "invalid",
      message: "evidence of provider example must be an object",
    });
  });
});
