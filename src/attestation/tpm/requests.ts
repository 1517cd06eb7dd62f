// The three requests of the TPM provider: hello, proof, and the renewal of one step. The secret of an opened credential
// stays in memory for one quote; it is never sent, stored or logged, so that the machine cannot be used to decrypt for
// others.

import { equalBytes } from "../../kernel/bytes/index.ts";
import { Fault, isFault } from "../../kernel/outcome/index.ts";
import {
  ALGORITHM,
  ATTRIBUTE,
  activateCredential,
  type Credential,
  HANDLE,
  hasAttributes,
  policySecret,
  quote,
  startPolicySession,
} from "../../kernel/tpm/index.ts";
import { randomBytes } from "../../platform/keys/index.ts";
import { readPcrs, type Tpm, withSession } from "../../platform/tpm/index.ts";
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
  type TpmProof,
  transcriptDigest,
} from "../evidence/index.ts";
import { sealFor } from "../exchange/seal-for.ts";
import type { RequestInput, SentHello } from "../provider.ts";
import { type LoadedKeys, type TpmIdentity, withAttestationKey, withBothKeys } from "./keys.ts";

export const TPM_PROTOCOLS: readonly Protocol[] = [{ provider: "tpm", version: 1 }];

export function buildHello(input: RequestInput, identity: TpmIdentity): FinishedRequest {
  const { ek, ekChain, ak } = identity;
  const endorsement = input.statement.intent === "renew" ? undefined : { ek, ekChain };
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
  const body = await quotePcrs(tpm, identity.akKind, wanted);
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
  const body = await quotePcrs(tpm, akKind, { extraData: beaconExtraData(beacon.nonce, digest), pcrs });
  return finishRequest(draft, { body, beacon: named, ...sealFor(input) });
}

type Keys = Pick<TpmIdentity, "template" | "akKind">;

export function openCredential(tpm: Tpm, keys: Keys, credential: Credential): Promise<Uint8Array> {
  return withBothKeys(tpm, keys, (loaded) => activateOrRefuse(tpm, loaded, credential));
}

/**
 * What the TPM says of a credential that is not for it differs by maker and by what was altered; it means one thing.
 */
async function activateOrRefuse(tpm: Tpm, keys: LoadedKeys, credential: Credential): Promise<Uint8Array> {
  try {
    return await activate(tpm, keys, credential);
  } catch (failure) {
    const isRefusal = isFault(failure) && failure.detail["command"] === "ActivateCredential" && !failure.retryable;
    // A key that is gone from the TPM says nothing of the credential.
    if (!isRefusal || failure.code === "not-found") throw failure;
    throw new Fault("untrusted", "the credential does not open here: it is for another TPM, or was altered", {
      cause: failure,
      detail: failure.detail,
    });
  }
}

/**
 * Keys of the low range are opened by a policy that knows the endorsement hierarchy's secret; of the high range by an
 * empty password.
 */
function activate(tpm: Tpm, { ek, ak }: LoadedKeys, credential: Credential): Promise<Uint8Array> {
  const activation = { attestationKey: ak.handle, endorsementKey: ek.handle, credential };
  if (hasAttributes(ek.publicArea, ATTRIBUTE.userWithAuth)) return tpm.send(activateCredential(activation));
  const start = startPolicySession(randomBytes(16), ek.publicArea.nameAlgorithm);
  return withSession(tpm, start, async (session) => {
    await tpm.send(policySecret(HANDLE.endorsement, session));
    return tpm.send(activateCredential({ ...activation, session }));
  });
}

/** PCRs may be extended meanwhile: values read before and after the quote must be the same. */
const QUOTE_TRIES = 3;

function quotePcrs(
  tpm: Tpm,
  akKind: "ecc" | "rsa",
  wanted: { readonly extraData: Uint8Array; readonly pcrs: readonly number[] },
): Promise<TpmProof> {
  const { extraData, pcrs } = wanted;
  const selections = [{ hash: ALGORITHM.sha256, pcrs }];
  return withAttestationKey(tpm, akKind, async ({ handle }) => {
    for (let attempt = 1; attempt <= QUOTE_TRIES; attempt++) {
      const before = await readPcrs(tpm, ALGORITHM.sha256, pcrs);
      const quoted = await tpm.send(quote({ key: handle, extraData, selections }));
      const after = await readPcrs(tpm, ALGORITHM.sha256, pcrs);
      if (isSame(before, after)) return { kind: "tpm-proof", ...quoted, pcrs: after };
    }
    throw new Fault("unavailable", `PCRs of the TPM changed during each of ${QUOTE_TRIES} quotes`);
  });
}

function isSame(before: readonly Uint8Array[], after: readonly Uint8Array[]): boolean {
  return before.every((value, index) => equalBytes(value, after[index] ?? new Uint8Array()));
}
