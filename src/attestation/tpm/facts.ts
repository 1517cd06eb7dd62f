// What the TPM's rules know in addition: its keys as they were sent or pinned, and what sources state about the
// endorsement key.

import type { NodeIdentity } from "../../api/countersign/index.ts";
import { encodeHex, parseBase64 } from "../../kernel/bytes/index.ts";
import { sha256 } from "../../kernel/crypto/index.ts";
import { Fault, type Seen } from "../../kernel/outcome/index.ts";
import { nameOf, type PublicArea, parsePublicArea, publicKeyOf } from "../../kernel/tpm/index.ts";
import { type Certificate, parseCertificate, type RevocationList } from "../../kernel/x509/index.ts";
import type { Challenged, Envelope, TpmHello } from "../evidence/index.ts";
import {
  attempt,
  type ChallengeFacts,
  type EvidenceFacts,
  type ProofFacts,
  pinsOf,
  type Reading,
} from "../rules/index.ts";

export interface EndorsementKey {
  readonly area: PublicArea;
  /** SHA-256 of the SubjectPublicKeyInfo, lower-case hex. */
  readonly hash: string;
  /** The EK certificate first; empty where the TPM has none, and in a renewal. */
  readonly chain: readonly Certificate[];
}

export interface TpmKeys {
  readonly endorsementKey: Reading<EndorsementKey>;
  readonly attestationKey: Reading<PublicArea>;
}

/** What one source says: which endorsement key this machine has. */
export interface EndorsementSource {
  readonly name: string;
  /** SHA-256 of the SubjectPublicKeyInfo, lower-case hex. */
  readonly statement: Seen<string>;
}

export interface EndorsementFacts extends EvidenceFacts {
  readonly keys: TpmKeys;
  /** Sources of level Bound that should know this Machine: platform plug-ins, the guarded annotation, an inventory. */
  readonly sources: readonly EndorsementSource[];
  /** Hashes of endorsement keys that are refused: those of revoked identities and the policy's. */
  readonly deniedKeys: readonly string[];
  /** The makers' CAs of the policy. */
  readonly roots: readonly Certificate[];
  readonly intermediates: readonly Certificate[];
  /** Of the makers; one that cannot be read stands for what it may have said. */
  readonly revocationLists: readonly Reading<RevocationList>[];
  /** Other live identities that bear this endorsement key. */
  readonly otherHolders: Seen<readonly KeyHolder[]>;
}

/** A live identity that bears an endorsement key. */
export interface KeyHolder {
  /** The name of the NodeIdentity: for the operator's eyes. */
  readonly identity: string;
  /** Absent for a node of another cluster, whose nodes are not named to a requester of this one. */
  readonly nodeName: string | undefined;
}

/** In words for the requester. */
export function describeHolders(holders: readonly KeyHolder[]): string {
  const own = holders.flatMap(({ nodeName }) => (nodeName === undefined ? [] : [`node ${nodeName}`]));
  const isElsewhere = own.length < holders.length;
  return [...own, ...(isElsewhere ? ["a node of another cluster"] : [])].join(", ");
}

/** For the operator. */
export function auditedHolders(holders: readonly KeyHolder[]): Readonly<Record<string, unknown>> {
  return { holders: holders.map(({ identity }) => identity) };
}

export const KEY_IN_USE = "EndorsementKeyInUse";

export interface TpmHelloFacts extends EndorsementFacts, ChallengeFacts {}
export interface TpmProofFacts extends EndorsementFacts, ProofFacts {}

const UNREAD = { ok: false, reason: "EnvelopeMalformed", message: "the evidence has no TPM keys" } as const;
export const NO_TPM_KEYS: TpmKeys = { endorsementKey: UNREAD, attestationKey: UNREAD };

/** The keys of a hello; in a renewal the endorsement key is the pinned one. */
export function readTpmKeys(envelope: Envelope, identity: Seen<NodeIdentity>): TpmKeys {
  const { body } = envelope;
  if (body.kind !== "tpm-hello") return NO_TPM_KEYS;
  return {
    attestationKey: attempt("AttestationKeyUnacceptable", () => checkedKey(parsePublicArea(body.ak))),
    endorsementKey: attempt("EndorsementKeyMalformed", () => readEndorsementKey(body, identity)),
  };
}

/** The pinned keys: what a renewal by beacon is judged by. */
export function pinnedTpmKeys(identity: Seen<NodeIdentity>): TpmKeys {
  const pins = pinsOf(identity)?.tpm;
  if (pins === undefined) {
    const none = {
      ok: false,
      reason: "RenewalNeedsExchange",
      message: "no TPM keys are pinned for this node",
    } as const;
    return { endorsementKey: none, attestationKey: none };
  }
  return {
    attestationKey: attempt("AttestationKeyUnacceptable", () =>
      checkedKey(parsePublicArea(parseBase64(pins.ak.public))),
    ),
    endorsementKey: attempt("EndorsementKeyMalformed", () => keyFrom(parseBase64(pins.ek.public), [])),
  };
}

function readEndorsementKey({ endorsement }: TpmHello, identity: Seen<NodeIdentity>): EndorsementKey {
  if (endorsement !== undefined) return keyFrom(endorsement.ek, endorsement.ekChain);
  const pinned = pinsOf(identity)?.tpm?.ek.public;
  if (pinned === undefined) throw new Fault("not-found", "a renewal needs an endorsement key that is pinned");
  return keyFrom(parseBase64(pinned), []);
}

function keyFrom(publicArea: Uint8Array, chain: readonly Uint8Array[]): EndorsementKey {
  const area = parsePublicArea(publicArea);
  return { area, hash: encodeHex(sha256(publicKeyOf(area).spki)), chain: chain.map(parseCertificate) };
}

/** A modulus of the wrong size or a point off its curve is no key. */
function checkedKey(area: PublicArea): PublicArea {
  publicKeyOf(area);
  return area;
}

/** The challenged side of a hello, as the challenge's head names it. */
export function challengedTpm(
  hello: { readonly cluster: string; readonly request: Uint8Array; readonly uid: string },
  { endorsementKey, attestationKey }: TpmKeys,
): Reading<Challenged> {
  if (!endorsementKey.ok) return endorsementKey;
  if (!attestationKey.ok) return attestationKey;
  const ekHash = sha256(publicKeyOf(endorsementKey.value.area).spki);
  const tpm = { akName: nameOf(attestationKey.value), ekHash };
  return { ok: true, value: { cluster: hello.cluster, helloRequest: hello.request, helloUid: hello.uid, tpm } };
}
