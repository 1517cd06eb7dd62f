// NodeIdentity v1alpha1: what is known about one node of one cluster. The operator writes the spec beforehand or not at all;
// the controller writes the status: what was pinned at the first exchange, the exchanges themselves, the certificates issued.
// It lives in the home cluster, where nodes cannot read it: an endorsement key is a serial number for life.

import { encodeBase32, encodeUtf8 } from "../../kernel/bytes/index.ts";
import { sha256 } from "../../kernel/crypto/index.ts";
import type { KubeObject } from "../meta/index.ts";
import type { PolicyCondition } from "./join-policy.ts";
import type { EkTrustLevel } from "./words.ts";

export const IDENTITY_PHASES = ["Pending", "Active", "Retiring", "Retired", "Revoked"] as const;
export type IdentityPhase = (typeof IDENTITY_PHASES)[number];

export const EXCHANGE_STATES = ["Verified", "Approved", "Issued"] as const;
export type ExchangeState = (typeof EXCHANGE_STATES)[number];

/** Of each node: more would only grow the object, and a node renews with the last one or two. */
export const EXCHANGES_KEPT = 8;

export interface NodeIdentitySpec {
  readonly clusterName?: string;
  readonly nodeName: string;
  readonly providerId?: string;
  /** The operator's word about the TPM, given before the first join. */
  readonly tpm?: { readonly ek: { readonly spkiSha256: string } };
  /** Nothing for this name any more, and its endorsement key is on the deny list. */
  readonly revoked?: boolean;
  /** Its machine is gone for good: its certificates end and its TPM is free. Ends when the name is pinned anew. */
  readonly retired?: boolean;
  /** Opens the pins for one join until then; made by `countersign identity reset`. */
  readonly reset?: { readonly until: string; readonly clock?: boolean; readonly ekSpkiSha256?: string };
}

export interface EndorsementKeyPin {
  /** SHA-256 of the key as SubjectPublicKeyInfo, lower-case hex. */
  readonly spkiSha256: string;
  /** TPMT_PUBLIC, base64. */
  readonly public: string;
  readonly certificateSha256?: string;
  readonly trust: EkTrustLevel;
}

export interface AttestationKeyPin {
  /** The TPM's Name of the key: hash algorithm and digest, lower-case hex. */
  readonly name: string;
  /** TPMT_PUBLIC, base64. */
  readonly public: string;
}

export interface TpmState {
  readonly ek: EndorsementKeyPin;
  readonly ak: AttestationKeyPin;
  readonly manufacturer?: string;
  readonly firmware?: string;
  readonly resetCount?: number;
  readonly restartCount?: number;
  /** Milliseconds; a 64-bit number, so text. */
  readonly clock?: string;
  readonly pcrs?: {
    readonly bank: string;
    readonly values: readonly { readonly index: number; readonly value: string }[];
  };
}

export interface Exchange {
  readonly proofUid: string;
  readonly helloUid?: string;
  /** SHA-256 of the key that the certificate is for (SPKI), lower-case hex. */
  readonly spkiSha256: string;
  readonly signerName: string;
  readonly state: ExchangeState;
  readonly at: string;
}

export interface IssuedCertificate {
  readonly sha256: string;
  readonly serialNumber: string;
  readonly notAfter: string;
  readonly purpose: "Client" | "Serving";
  /** Of the exchange it was made for: of several that a crash left there, the one on that request was delivered. */
  readonly proofUid?: string;
  readonly issuedAt?: string;
  readonly superseded?: boolean;
  readonly revoked?: boolean;
}

export interface NodeIdentityStatus {
  readonly phase?: IdentityPhase;
  readonly provider?: string;
  /** The protocol version below which nothing is accepted again. */
  readonly protocolFloor?: string;
  readonly providerId?: string;
  readonly machine?: { readonly namespace: string; readonly name: string; readonly uid: string };
  /** The key that a provider without hardware pinned at first use (SPKI SHA-256, lower-case hex). */
  readonly spkiSha256?: string;
  readonly tpm?: TpmState;
  /** What the verifier of any other provider pinned, in its own words, and how much it says that is worth. */
  readonly pins?: Readonly<Record<string, string>>;
  readonly level?: string;
  readonly attestedAt?: string;
  readonly exchanges?: readonly Exchange[];
  readonly certificates?: readonly IssuedCertificate[];
  readonly conditions?: readonly PolicyCondition[];
}

export interface NodeIdentity extends KubeObject {
  spec: NodeIdentitySpec;
  status?: NodeIdentityStatus;
}

/** Names of objects may have so many characters. */
const NAME_MAX_CHARACTERS = 253;

/** Whose identity it is: the spec says it, an object's name only leads there. */
export type IdentityOwner = Pick<NodeIdentitySpec, "nodeName"> & { readonly clusterName?: string | undefined };

/** Where an identity is made first: two who make it at once meet at the API server. */
export function identityName(nodeName: string, clusterName?: string): string {
  const name = clusterName === undefined ? nodeName : `${clusterName}.${nodeName}`;
  return name.length <= NAME_MAX_CHARACTERS ? name : hashName(name);
}

/**
 * Both names that an identity may have, the readable one first. Node `b.c` of the cluster without a name and node `c`
 * of cluster `b` share the readable one: whoever comes second has the other, which is made of both parts
 * (docs/decisions/0013-identity-names.md).
 */
export function identityNames({ nodeName, clusterName }: IdentityOwner): readonly [string, string] {
  // A slash is in no name of a node or a cluster.
  return [identityName(nodeName, clusterName), hashName(`${clusterName ?? ""}/${nodeName}`)];
}

/**
 * Under a name of this owner, and not rightly somebody else's: one whose spec does not fit its name is nobody else's.
 */
export function isIdentityOf({ metadata: { name = "" }, spec }: NodeIdentity, owner: IdentityOwner): boolean {
  if (!identityNames(owner).includes(name)) return false;
  const isSaid = spec.nodeName === owner.nodeName && spec.clusterName === owner.clusterName;
  return isSaid || !identityNames(spec).includes(name);
}

function hashName(text: string): string {
  return `sha256.${encodeBase32(sha256(encodeUtf8(text)))}`;
}
