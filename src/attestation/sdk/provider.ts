// A provider of the SDK in the shape that join, plugin and manager use. The requests, the transcript and the challenge are made
// here, once for all of them; the provider's own object travels under the envelope's key `data` (protocol 2.3, 5).
import type { EvidenceRequest, JsonObject, NodeProvider } from "@countersign/sdk";
import { Fault } from "../../kernel/outcome/index.ts";
import {
  type Draft,
  draftRequest,
  type EvidenceBody,
  encodeProtocol,
  type Freshness,
  finishRequest,
  parseChallenge,
  transcriptDigest,
} from "../evidence/index.ts";
import type {
  ExchangeProver,
  NodeAttestationProvider,
  RequestInput,
  SentHello,
  SingleProver,
} from "../providers/index.ts";
import { sealFor } from "../providers/seal-for.ts";

export function createSdkProvider(provider: NodeProvider): NodeAttestationProvider {
  const { name, versions, canRenew, canServe } = provider;
  const facts = {
    name,
    protocols: versions.map((version) => ({ provider: name, version })),
    canRenew,
    canServe,
    providerId: (nodeName: string, signal: AbortSignal) => provider.providerId({ nodeName, signal }),
  };
  return provider.freshness === "challenge"
    ? { kind: "exchange", ...facts, open: async ({ signal }) => exchangeProver(provider, signal) }
    : { kind: "single", ...facts, open: async ({ signal }) => singleProver(provider, signal) };
}

function singleProver(provider: NodeProvider, signal: AbortSignal): SingleProver {
  return {
    single: async (input) => {
      const draft = draftRequest({ ...input, step: "single" });
      const request = requestOf(draft, { kind: "none" });
      const evidence = await provider.attest(request, { nodeName: request.nodeName, signal });
      return finishRequest(draft, { body: bodyOf(evidence), ...sealFor(input) });
    },
    close: async () => undefined,
  };
}

function exchangeProver(provider: NodeProvider, signal: AbortSignal): ExchangeProver {
  return {
    hello: async (input) => {
      const draft = draftRequest({ ...input, step: "hello" });
      const request = requestOf(draft, { kind: "none" });
      const said = await provider.hello?.(request, { nodeName: request.nodeName, signal });
      return finishRequest(draft, { body: bodyOf(said ?? {}), ...sealFor(input) });
    },
    proof: async (input, hello) => {
      requireNonce(input, hello);
      const draft = draftRequest({ ...input, step: "proof" });
      const { name, uid, request: helloRequest, annotation } = hello;
      const request = requestOf(draft, { kind: "challenge", helloRequest, helloUid: uid, annotation });
      const evidence = await provider.attest(request, { nodeName: request.nodeName, signal });
      return finishRequest(draft, { body: bodyOf(evidence), hello: { name, uid }, ...sealFor(input) });
    },
    close: async () => undefined,
  };
}

/** A challenge of another kind is for somebody else, or from somebody else. */
function requireNonce({ protocol }: RequestInput, { annotation }: SentHello): void {
  const { challenge } = parseChallenge(annotation);
  if (challenge.alg !== "nonce" || encodeProtocol(challenge.protocol) !== encodeProtocol(protocol))
    throw new Fault(
      "unsupported",
      "ChallengeUnexpected: the challenge is of another kind or version than was asked for",
    );
}

function requestOf(draft: Draft, freshness: Freshness): EvidenceRequest {
  const { claims, protocol, spki, cri } = draft;
  return {
    nodeName: claims.node,
    providerId: claims.providerId,
    intent: claims.intent,
    purpose: claims.purpose,
    signerName: claims.signer,
    cluster: claims.cluster,
    protocol: encodeProtocol(protocol),
    publicKey: spki,
    digest: transcriptDigest({ claims, protocol, spki, cri, freshness }),
  };
}

function bodyOf(value: JsonObject): EvidenceBody {
  return { kind: "other", value };
}
