// What is written on a TPM's hello that passed every rule: "The challenge" in docs/protocols/attestation.md, and the
// endorsement key in the annotation of *Cluster API Kubelet Authentication*.

import type { AttestationPolicy } from "../../api/countersign/index.ts";
import { HASH_OCTETS } from "../../kernel/crypto/index.ts";
import { assert } from "../../kernel/outcome/index.ts";
import { encodePem } from "../../kernel/pem/index.ts";
import { type CredentialRandomness, hashOf, makeCredential, nameOf, publicKeyOf } from "../../kernel/tpm/index.ts";
import { CHALLENGE_NONCE_OCTETS, challengeSecret, encodeChallenge, USUAL_PCRS } from "../evidence/index.ts";
import type { ChallengeMaking, PlannedChallenge } from "../provider.ts";
import { challengeTimes } from "../rules/index.ts";
import type { EndorsementKey, TpmHelloFacts } from "./facts.ts";

/** Where the platform, or this controller, writes the endorsement key of the requester. */
const EK_ANNOTATION = "cluster.x-k8s.io/tpm-endorsement-key";
/**
 * On a request whose endorsement key this controller wrote: it took it from the evidence, so it is no source of trust.
 */
export const EK_ANNOTATED_BY = "countersign.dev/tpm-endorsement-key-from";

/** Ascending. */
export function demandedPcrs({ tpm }: AttestationPolicy): readonly number[] {
  const select = tpm?.pcrs?.select;
  return select === undefined ? USUAL_PCRS : [...select].sort((one, other) => one - other);
}

export function planChallenge(facts: TpmHelloFacts, { key, randomBytes }: ChallengeMaking): PlannedChallenge {
  const { challenged, keys, reading, policy } = facts;
  const { endorsementKey, attestationKey } = keys;
  assert(
    challenged.ok && endorsementKey.ok && attestationKey.ok && reading.envelope.ok,
    "only what passed is challenged",
  );
  const { parsed, wasSealed } = reading.envelope.value;
  const nonce = randomBytes(CHALLENGE_NONCE_OCTETS);
  const pcrs = demandedPcrs(policy);
  const core = { ...challengeTimes(facts), kid: key.kid, nonce, protocol: parsed.protocol, pcrs };
  const secret = challengeSecret(key, core, challenged.value);
  const objectName = nameOf(attestationKey.value);
  const randomness = randomnessFor(endorsementKey.value, randomBytes);
  const credential = makeCredential({ endorsementKey: endorsementKey.value.area, objectName, secret, randomness });
  const challenge = { alg: "tpm2-credential", ...core, ...credential } as const;
  return {
    challenge: encodeChallenge(key, challenge, challenged.value),
    annotations: wasSealed || parsed.intent === "renew" ? {} : keyAnnotation(endorsementKey.value, facts),
    expiresMs: core.exp * 1000,
  };
}

/** An annotation of the platform is left as it is. */
function keyAnnotation({ area, hash }: EndorsementKey, { object, policy }: TpmHelloFacts): Record<string, string> {
  if (object.annotations[EK_ANNOTATION] !== undefined) return {};
  const said = policy.ekAnnotation === "Digest" ? `sha256:${hash}` : encodePem("PUBLIC KEY", publicKeyOf(area).spki);
  return { [EK_ANNOTATION]: said, [EK_ANNOTATED_BY]: "evidence" };
}

/** What MakeCredential draws for this kind of key. */
function randomnessFor({ area }: EndorsementKey, randomBytes: ChallengeMaking["randomBytes"]): CredentialRandomness {
  const octets = HASH_OCTETS[hashOf(area.nameAlgorithm)];
  if (area.type === "rsa") return { kind: "rsa", seed: randomBytes(octets), oaepSeed: randomBytes(octets) };
  return { kind: "ecc", scalar: randomBytes(area.x.length) };
}
