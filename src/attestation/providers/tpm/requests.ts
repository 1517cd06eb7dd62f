// The three requests of the TPM provider, built: hello, proof, and the renewal of one step.

import { Fault } from "../../../kernel/outcome/index.ts";
import type { Tpm } from "../../../platform/tpm/index.ts";
import {
  type Beacon,
  beaconExtraData,
  draftRequest,
  encodeProtocol,
  exchangeExtraData,
  type FinishedRequest,
  finishRequest,
  type Protocol,
  parseChallenge,
  transcriptDigest,
} from "../../evidence/index.ts";
import type { RequestInput, SentHello } from "../provider.ts";
import { sealFor } from "../seal-for.ts";
import { openCredential, quoteRegisters } from "./answer.ts";
import type { TpmIdentity } from "./keys.ts";

export const TPM_PROTOCOLS: readonly Protocol[] = [{ provider: "tpm", version: 1 }];
/** What a policy asks for that says nothing of registers: firmware, boot loader, and what they were told. */
export const USUAL_REGISTERS: readonly number[] = [0, 1, 2, 3, 4, 5, 6, 7];

export function buildHello(input: RequestInput, identity: TpmIdentity): FinishedRequest {
  const { ek, ekChain, ak } = identity;
  const endorsement = input.claims.intent === "renew" ? undefined : { ek, ekChain };
  const draft = draftRequest({ ...input, step: "hello" });
  return finishRequest(draft, { body: { kind: "tpm-hello", ak, endorsement }, ...sealFor(input) });
}

export async function buildProof(
  tpm: Tpm,
  identity: TpmIdentity,
  answer: { readonly input: RequestInput; readonly hello: SentHello },
): Promise<FinishedRequest> {
  const { input, hello } = answer;
  const { challenge } = parseChallenge(hello.annotation);
  if (challenge.alg !== "tpm2-credential" || encodeProtocol(challenge.protocol) !== encodeProtocol(input.protocol))
    throw new Fault(
      "unsupported",
      "ChallengeUnexpected: the challenge is of another kind or version than was asked for",
    );
  const secret = await openCredential(tpm, identity, challenge);
  const draft = draftRequest({ ...input, step: "proof" });
  const { name, uid, request: helloRequest, annotation } = hello;
  const freshness = { kind: "challenge", helloRequest, helloUid: uid, annotation } as const;
  const digest = transcriptDigest({ ...input, spki: draft.spki, cri: draft.cri, freshness });
  const wanted = { extraData: exchangeExtraData(secret, digest), pcrs: challenge.pcrs };
  const body = await quoteRegisters(tpm, identity.akKind, wanted);
  return finishRequest(draft, { body, hello: { name, uid }, ...sealFor(input) });
}

/** Renewal in one step, by the beacon; the controller accepts it with the pinned attestation key only. */
export async function buildBeaconRenewal(
  tpm: Tpm,
  akKind: TpmIdentity["akKind"],
  answer: { readonly input: RequestInput; readonly beacon: Beacon; readonly pcrs: readonly number[] },
): Promise<FinishedRequest> {
  const { input, beacon, pcrs } = answer;
  const draft = draftRequest({ ...input, step: "single" });
  const named = { epoch: beacon.epoch, kid: beacon.kid };
  const digest = transcriptDigest({
    ...input,
    spki: draft.spki,
    cri: draft.cri,
    freshness: { kind: "beacon", ...named },
  });
  const body = await quoteRegisters(tpm, akKind, { extraData: beaconExtraData(beacon.nonce, digest), pcrs });
  return finishRequest(draft, { body, beacon: named, ...sealFor(input) });
}
