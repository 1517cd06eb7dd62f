// NodeIdentity v1alpha1: what is known about one node of one cluster. The operator writes the spec beforehand or not at
// all; the controller writes the status: what was pinned at the first exchange, the exchanges themselves, the
// certificates issued. It lives in the management cluster, where nodes cannot read it: an endorsement key is a serial
// number for life.

import { encodeBase32, encodeUtf8 } from "../../kernel/bytes/index.ts";
import { sha256 } from "../../kernel/crypto/index.ts";
import type { KubeObject } from "../meta/index.ts";
import { CONDITIONS } from "./join-policy.ts";
import type { Fields, Written } from "./schema.ts";
import { EK_TRUST_LEVELS } from "./words.ts";

export const IDENTITY_PHASES = ["Pending", "Active", "Retiring", "Retired", "Revoked"] as const;
export type IdentityPhase = (typeof IDENTITY_PHASES)[number];

export const EXCHANGE_STATES = ["Verified", "Approved", "Issued"] as const;
export type ExchangeState = (typeof EXCHANGE_STATES)[number];

/**
 * Names the request for which the controller made an identity in the name of a node that proves nothing: until it is
 * pinned, nothing else tells it from one that an operator enrolled.
 */
export const MADE_FOR_ANNOTATION = "countersign.dev/made-for";

/** Of each node: more would only grow the object, and a node renews with the last one or two. */
export const EXCHANGES_KEPT = 8;

const DIGEST = { type: "text", pattern: "^[0-9a-f]{64}$" } as const;
const TIME = { type: "text", format: "date-time" } as const;
const UID = { type: "text", maxLength: 64 } as const;
const PROVIDER_ID = { type: "text", maxLength: 512 } as const;
const PUBLIC_AREA = { type: "text", format: "byte", maxLength: 4096, description: "TPMT_PUBLIC, base64." } as const;

export const NODE_IDENTITY_SPEC = {
  clusterName: { type: "text", maxLength: 63 },
  nodeName: { type: "text", minLength: 1, maxLength: 253, required: true },
  providerId: PROVIDER_ID,
  tpm: {
    type: "group",
    fields: { ek: { type: "group", fields: { spkiSha256: { ...DIGEST, required: true } }, required: true } },
    description: "The TPM that the operator enrolled before the first join.",
  },
  revoked: {
    type: "flag",
    description: "No certificates for this name any more, and its endorsement key is on the deny list.",
  },
  retired: {
    type: "flag",
    description:
      "The machine is gone for good: its certificates end, its TPM and its name are free. False: that was lifted, " +
      "and proof is needed again. Ends when the name is pinned anew.",
  },
  reset: {
    type: "group",
    fields: { until: { ...TIME, required: true }, clock: { type: "flag" }, ekSpkiSha256: DIGEST },
    description: "Opens the pins for one join until then; written by countersign identity reset.",
  },
} as const satisfies Fields;

const MACHINE = {
  namespace: { type: "text", maxLength: 63, required: true },
  name: { type: "text", maxLength: 253, required: true },
  uid: { ...UID, required: true },
} as const satisfies Fields;

const ENDORSEMENT_KEY = {
  spkiSha256: {
    ...DIGEST,
    required: true,
    description: "SHA-256 of the key as SubjectPublicKeyInfo, lower-case hex.",
  },
  public: { ...PUBLIC_AREA, required: true },
  certificateSha256: DIGEST,
  trust: { type: "word", words: EK_TRUST_LEVELS, required: true },
} as const satisfies Fields;

const ATTESTATION_KEY = {
  name: {
    type: "text",
    pattern: "^[0-9a-f]{4,132}$",
    required: true,
    description: "The TPM's Name of the key: hash algorithm and digest, lower-case hex.",
  },
  public: { ...PUBLIC_AREA, required: true },
} as const satisfies Fields;

const PCR_VALUES = {
  type: "list",
  items: {
    type: "group",
    fields: {
      index: { type: "number", min: 0, max: 23, required: true },
      value: { type: "text", pattern: "^[0-9a-f]{40,128}$", required: true },
    },
  },
  maxItems: 24,
  uniqueBy: "index",
  required: true,
} as const;

const TPM_STATE = {
  ek: { type: "group", fields: ENDORSEMENT_KEY, required: true },
  ak: { type: "group", fields: ATTESTATION_KEY, required: true },
  manufacturer: { type: "text", maxLength: 64 },
  firmware: { type: "text", maxLength: 64 },
  resetCount: { type: "number", isLong: true, min: 0 },
  restartCount: { type: "number", isLong: true, min: 0 },
  clock: { type: "text", pattern: "^[0-9]{1,20}$", description: "Milliseconds; a 64-bit number, so text." },
  pcrs: { type: "group", fields: { bank: { type: "text", maxLength: 16, required: true }, values: PCR_VALUES } },
} as const satisfies Fields;

const EXCHANGE = {
  proofUid: { ...UID, required: true },
  helloUid: UID,
  spkiSha256: { ...DIGEST, required: true, description: "Of the key that the certificate is for." },
  signerName: { type: "text", maxLength: 571, required: true },
  state: { type: "word", words: EXCHANGE_STATES, required: true },
  at: { ...TIME, required: true },
} as const satisfies Fields;

const CERTIFICATE = {
  sha256: { ...DIGEST, required: true },
  serialNumber: { type: "text", pattern: "^[0-9a-f]{1,40}$", required: true },
  notAfter: { ...TIME, required: true },
  purpose: { type: "word", words: ["Client", "Serving"], required: true },
  proofUid: {
    ...UID,
    description:
      "Of the exchange it was made for: of several that a crash left there, the one on that request was delivered.",
  },
  issuedAt: TIME,
  superseded: { type: "flag" },
  revoked: { type: "flag" },
  unproven: {
    type: "flag",
    description: "Given without proof to a node that joined under the name after it was retired.",
  },
} as const satisfies Fields;

export const NODE_IDENTITY_STATUS = {
  phase: { type: "word", words: IDENTITY_PHASES },
  provider: { type: "text", maxLength: 63 },
  protocolFloor: {
    type: "text",
    maxLength: 63,
    description: "The protocol version below which nothing is accepted again.",
  },
  providerId: PROVIDER_ID,
  machine: { type: "group", fields: MACHINE },
  spkiSha256: { ...DIGEST, description: "The key that a provider without hardware pinned at first use." },
  tpm: { type: "group", fields: TPM_STATE },
  pins: {
    type: "texts by name",
    maxItems: 32,
    maxLength: 1024,
    description: "What the verifier of another provider than tpm pinned at the first exchange.",
  },
  level: { type: "text", maxLength: 64, description: "How much those pins are worth, as the verifier declares it." },
  attestedAt: TIME,
  exchanges: {
    type: "list",
    items: { type: "group", fields: EXCHANGE },
    maxItems: EXCHANGES_KEPT,
    uniqueBy: "proofUid",
  },
  certificates: { type: "list", items: { type: "group", fields: CERTIFICATE }, maxItems: 64, uniqueBy: "sha256" },
  conditions: CONDITIONS,
} as const satisfies Fields;

export interface NodeIdentitySpec extends Written<typeof NODE_IDENTITY_SPEC> {}
export interface NodeIdentityStatus extends Written<typeof NODE_IDENTITY_STATUS> {}
export interface TpmState extends Written<typeof TPM_STATE> {}
export interface Exchange extends Written<typeof EXCHANGE> {}
export interface IssuedCertificate extends Written<typeof CERTIFICATE> {}

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
 * of cluster `b` share the readable one: the second of them has the other, which is made of both parts
 * (docs/decisions/0013-identity-names.md).
 */
export function identityNames({ nodeName, clusterName }: IdentityOwner): readonly [string, string] {
  // A slash is in no name of a node or a cluster.
  return [identityName(nodeName, clusterName), hashName(`${clusterName ?? ""}/${nodeName}`)];
}

/**
 * Under a name of this owner, and of no other owner: an identity whose spec does not fit its name belongs to no other.
 */
export function isIdentityOf({ metadata: { name = "" }, spec }: NodeIdentity, owner: IdentityOwner): boolean {
  if (!identityNames(owner).includes(name)) return false;
  const isSaid = spec.nodeName === owner.nodeName && spec.clusterName === owner.clusterName;
  return isSaid || !identityNames(spec).includes(name);
}

function hashName(text: string): string {
  return `sha256.${encodeBase32(sha256(encodeUtf8(text)))}`;
}
