// The machine's end of an installed provider, in the shape that join, plugin and manager use. Requests, transcript and
// challenge are made here, once for all of them; the provider's own object is the envelope's `data`.

import type { EvidenceRequest, JsonObject, NodeProvider } from "@countersign/sdk";
import { Fault } from "../../kernel/outcome/index.ts";
import {
  type Draft,
  draftRequest,
  type EvidenceBody,
  encodeProtocol,
  type Freshness,
  finishRequest,
  isProviderId,
  parseChallenge,
  transcriptDigest,
} from "../evidence/index.ts";
import { sealFor } from "../exchange/seal-for.ts";
import type { ExchangeProver, NodeAttestationProvider, RequestInput, SentHello, SingleProver } from "../provider.ts";
import { unlessAborted, wordsOf } from "./guarded.ts";

export function createSdkProvider(provider: NodeProvider): NodeAttestationProvider {
  const { name, versions, canRenew, canServe } = provider;
  const facts = {
    name,
    protocols: versions.map((version) => ({ provider: name, version })),
    canRenew,
    canServe,
    providerId: async (nodeName: string, signal: AbortSignal) =>
      providerIdOf(provider, await asked(provider, signal, () => provider.providerId({ nodeName, signal }))),
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
      const call = { nodeName: request.nodeName, signal };
      const evidence = await asked(provider, signal, () => provider.attest(request, call));
      return finishRequest(draft, { body: bodyOf(provider, evidence), ...sealFor(input) });
    },
    close: async () => undefined,
  };
}

function exchangeProver(provider: NodeProvider, signal: AbortSignal): ExchangeProver {
  return {
    hello: async (input) => {
      const draft = draftRequest({ ...input, step: "hello" });
      const request = requestOf(draft, { kind: "none" });
      const call = { nodeName: request.nodeName, signal };
      const said = await asked(provider, signal, async () => await provider.hello?.(request, call));
      return finishRequest(draft, { body: bodyOf(provider, said ?? {}), ...sealFor(input) });
    },
    proof: async (input, hello) => {
      requireNonce(input, hello);
      const draft = draftRequest({ ...input, step: "proof" });
      const { name, uid, request: helloRequest, annotation } = hello;
      const request = requestOf(draft, { kind: "challenge", helloRequest, helloUid: uid, annotation });
      const call = { nodeName: request.nodeName, signal };
      const evidence = await asked(provider, signal, () => provider.attest(request, call));
      return finishRequest(draft, { body: bodyOf(provider, evidence), hello: { name, uid }, ...sealFor(input) });
    },
    close: async () => undefined,
  };
}

/**
 * Installed code may throw anything, a Fault of ours included, and may ignore its signal: the caller gets a Fault that
 * names the provider, and may try again.
 */
async function asked<Answer>(
  { name }: NodeProvider,
  signal: AbortSignal,
  call: () => Promise<Answer>,
): Promise<Answer> {
  try {
    return await unlessAborted(signal, call);
  } catch (cause) {
    if (signal.aborted) throw new Fault("aborted", `provider ${name} was told to stop`, { cause });
    throw new Fault("unavailable", `provider ${name} cannot prove this machine: ${wordsOf(cause)}`, { cause });
  }
}

/** A challenge of another kind is not for this machine, or not from this cluster's controller. */
function requireNonce({ protocol }: RequestInput, { annotation }: SentHello): void {
  const { challenge } = parseChallenge(annotation);
  if (challenge.alg !== "nonce" || encodeProtocol(challenge.protocol) !== encodeProtocol(protocol))
    throw new Fault(
      "unsupported",
      "ChallengeUnexpected: the challenge is of another kind or version than was asked for",
    );
}

function requestOf(draft: Draft, freshness: Freshness): EvidenceRequest {
  const { statement, protocol, spki, cri } = draft;
  return {
    nodeName: statement.node,
    providerId: statement.providerId,
    intent: statement.intent,
    purpose: statement.purpose,
    signerName: statement.signer,
    cluster: statement.cluster,
    protocol: encodeProtocol(protocol),
    publicKey: spki,
    digest: transcriptDigest({ statement, protocol, spki, cri, freshness }),
  };
}

/** It is compared with what the platform's other programs wrote, so it is refused here and not somewhere on the way. */
function providerIdOf({ name }: NodeProvider, answer: unknown): string {
  if (typeof answer === "string" && isProviderId(answer)) return answer;
  throw new Fault("invalid", `provider ${name} must name this machine in 1 to 512 printable characters`);
}

function bodyOf({ name }: NodeProvider, value: unknown): EvidenceBody {
  if (typeof value !== "object" || value === null || Array.isArray(value))
    throw new Fault("invalid", `evidence of provider ${name} must be an object`);
  return { kind: "installed", value: value as JsonObject };
}

export { loadProvider, loadSettings, makeProvider } from "./load.ts";
