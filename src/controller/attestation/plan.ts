// What is written on a hello that passed every rule: the challenge (protocol 3.4; by nonce alone: 5) and, as the seed asks, the
// endorsement key. Pure: whatever is random is handed in.

import type { AttestationPolicy } from "../../api/countersign/index.ts";
import {
  CHALLENGE_SECONDS,
  type ChallengeKeys,
  challengeSecret,
  encodeChallenge,
} from "../../attestation/evidence/index.ts";
import type { ChallengeFacts } from "../../attestation/rules/index.ts";
import type { EndorsementKey, TpmHelloFacts } from "../../attestation/tpm/verifier.ts";
import { HASH_OCTETS } from "../../kernel/crypto/index.ts";
import { assert } from "../../kernel/outcome/index.ts";
import { encodePem } from "../../kernel/pem/index.ts";
import { type CredentialRandomness, hashOf, makeCredential, nameOf, publicKeyOf } from "../../kernel/tpm/index.ts";

/** Where the platform says, and we say, which endorsement key asks; the second spelling is only read. */
export const EK_ANNOTATION = "cluster.x-k8s.io/tpm-endorsement-key";
/** On a request whose endorsement key we wrote down ourselves: our own words are no source of trust. */
export const EK_ANNOTATED_BY = "countersign.dev/tpm-endorsement-key-from";

export interface NonceInput {
  readonly key: ChallengeKeys;
  /** 16 octets. */
  readonly nonce: Uint8Array;
}

export interface ChallengeInput extends NonceInput {
  readonly pcrs: readonly number[];
  readonly randomness: CredentialRandomness;
}

export interface PlannedChallenge {
  /** The annotation's text. */
  readonly challenge: string;
  /** What else the request is told. */
  readonly annotations: Readonly<Record<string, string>>;
  readonly expiresMs: number;
}

export function planChallenge(
  facts: TpmHelloFacts,
  { key, pcrs, nonce, randomness }: ChallengeInput,
): PlannedChallenge {
  const { challenged, keys, reading } = facts;
  const { endorsementKey, attestationKey } = keys;
  assert(
    challenged.ok && endorsementKey.ok && attestationKey.ok && reading.envelope.ok,
    "only what passed is challenged",
  );
  const { parsed, wasSealed } = reading.envelope.value;
  const core = { ...timesOf(facts), kid: key.kid, nonce, protocol: parsed.protocol, pcrs };
  const secret = challengeSecret(key, core, challenged.value);
  const objectName = nameOf(attestationKey.value);
  const credential = makeCredential({ endorsementKey: endorsementKey.value.area, objectName, secret, randomness });
  const challenge = { alg: "tpm2-credential", ...core, ...credential } as const;
  return {
    challenge: encodeChallenge(key, challenge, challenged.value),
    annotations: wasSealed || parsed.intent === "renew" ? {} : keyAnnotation(endorsementKey.value, facts),
    expiresMs: core.exp * 1000,
  };
}

/** For a provider without a key to encrypt to: its platform signs what it is asked, and the nonce is what makes that fresh. */
export function planNonceChallenge(facts: ChallengeFacts, { key, nonce }: NonceInput): PlannedChallenge {
  const { challenged, reading } = facts;
  assert(challenged.ok && reading.envelope.ok, "only what passed is challenged");
  const { protocol } = reading.envelope.value.parsed;
  const challenge = { alg: "nonce", ...timesOf(facts), kid: key.kid, nonce, protocol } as const;
  return {
    challenge: encodeChallenge(key, challenge, challenged.value),
    annotations: {},
    expiresMs: challenge.exp * 1000,
  };
}

function timesOf({ nowMs, policy }: ChallengeFacts): { readonly iat: number; readonly exp: number } {
  const iat = Math.floor(nowMs / 1000);
  return { iat, exp: iat + (policy.challengeSeconds ?? CHALLENGE_SECONDS.usual) };
}

/** Never over the platform's own words. */
function keyAnnotation(
  { area, hash }: EndorsementKey,
  { object, policy }: { readonly object: TpmHelloFacts["object"]; readonly policy: AttestationPolicy },
): Readonly<Record<string, string>> {
  if (object.annotations[EK_ANNOTATION] !== undefined) return {};
  const said = policy.ekAnnotation === "Digest" ? `sha256:${hash}` : encodePem("PUBLIC KEY", publicKeyOf(area).spki);
  return { [EK_ANNOTATION]: said, [EK_ANNOTATED_BY]: "evidence" };
}

/** What MakeCredential needs of chance for this kind of key. */
export function randomnessFor(
  { area }: EndorsementKey,
  randomBytes: (count: number) => Uint8Array,
): CredentialRandomness {
  const octets = HASH_OCTETS[hashOf(area.nameAlgorithm)];
  if (area.type === "rsa") return { kind: "rsa", seed: randomBytes(octets), oaepSeed: randomBytes(octets) };
  return { kind: "ecc", scalar: randomBytes(area.x.length) };
}
