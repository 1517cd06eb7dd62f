// What a node's identity permits to a request without evidence, under every signer and policy: "Requests without
// evidence" in docs/protocols/attestation.md. A bootstrap token, or a certificate that was obtained with one, is not
// enough for the name of an attested node.

import type { UserInfo } from "../../api/access/index.ts";
import { NODE_USER_PREFIX, purposeOf } from "../../api/certificates/index.ts";
import type { IssuedCertificate, NodeIdentity } from "../../api/countersign/index.ts";
import { type Finding, pass, refuse } from "../../kernel/outcome/index.ts";
import { isProven, isRetired, isRevoked, provesNothing } from "./identity.ts";
import { credentialOf } from "./requester.ts";

export interface Unproven {
  readonly purpose: "client" | "serving";
  /**
   * SHA-256 of the certificate that the requester showed, as the API server stamped it; absent for a bootstrap token.
   */
  readonly credential: string | undefined;
  /** Whether the requester holds a node's certificate: it renews, where everyone else joins. */
  readonly isNode: boolean;
}

export function unprovenOf(signerName: string, requester: UserInfo): Unproven {
  const purpose = purposeOf(signerName) === "NodeServing" ? "serving" : "client";
  const isNode = requester.username.startsWith(NODE_USER_PREFIX);
  return { purpose, credential: credentialOf(requester), isNode };
}

export const STANDING_REASONS: readonly string[] = [
  "IdentityRevoked",
  "CredentialRevoked",
  "ProviderCannotRenew",
  "EvidenceRequired",
  "CredentialUnknown",
  "CredentialSuperseded",
];

export function judgeStanding(identity: NodeIdentity, asked: Unproven): Finding {
  const { nodeName } = identity.spec;
  if (isRevoked(identity)) return refuse("IdentityRevoked", `the identity of ${nodeName} was revoked`);
  const own = issuedTo(identity).find(({ sha256 }) => sha256 === asked.credential);
  if (isRetired(identity)) return judgeRetired(identity, asked, own);
  if (isInsecureAlone(identity)) return judgeInsecureHolder(asked, own !== undefined);
  return asked.purpose === "client" ? refuseUnproven(identity) : judgeCustody(identity, asked);
}

/**
 * The name is free for the next join. The certificates of the retired machine outlive it, also those that no identity
 * recorded: a node renews under a retired name only with a certificate that was recorded since.
 */
function judgeRetired({ spec }: NodeIdentity, { isNode }: Unproven, own: IssuedCertificate | undefined): Finding {
  if (own?.unproven === true && own.revoked !== true) return pass("joined since the name was retired");
  return isNode || own !== undefined
    ? refuse("CredentialRevoked", `the node ${spec.nodeName} of the requester's certificate was retired`)
    : pass("retired: the name is free");
}

/** Whether a certificate for this name is given for proof alone: the operator enrolled the node, or it was attested. */
export function needsProof(identity: NodeIdentity): boolean {
  return !isRetired(identity) && !isInsecureAlone(identity);
}

/** Let in without proof, and no operator has enrolled the machine since: a reset with --ek-hash does. */
export function isInsecureAlone({ spec, status }: NodeIdentity): boolean {
  return provesNothing(status?.provider) && spec.tpm === undefined && spec.providerId === undefined;
}

/** An insecure provider cannot rotate: its certificate is traded for no other, under no signer. */
function judgeInsecureHolder({ purpose }: Unproven, isOwn: boolean): Finding {
  return purpose === "client" && isOwn
    ? refuse("ProviderCannotRenew", "the requester's certificate is the insecure provider's, which is not renewed")
    : pass("let in without proof");
}

function refuseUnproven({ spec, status }: NodeIdentity): Finding {
  const isAttested = status?.provider !== undefined && !provesNothing(status.provider);
  const why = isAttested ? `was attested by ${status.provider}` : "was enrolled";
  return refuse(
    "EvidenceRequired",
    `${spec.nodeName} ${why}: it gets certificates for proof alone, and this request carries none`,
  );
}

/** The current certificate and the one before it, which a kubelet may still use while it changes over. */
const CERTIFICATES_IN_USE = 2;

/**
 * A kubelet's serving request cannot carry evidence: the client certificate that it comes with must have been given for
 * some.
 */
function judgeCustody(identity: NodeIdentity, { credential }: Unproven): Finding {
  const issued = issuedTo(identity).filter(isProven).toReversed();
  const age = issued.findIndex(({ sha256 }) => sha256 === credential);
  if (age < 0) return refuse("CredentialUnknown", "the requester's certificate was not given for an attestation");
  if (issued[age]?.revoked === true) return refuse("CredentialRevoked", "the requester's certificate was revoked");
  return age < CERTIFICATES_IN_USE
    ? pass(`custody of a certificate given for an attestation by ${identity.status?.provider ?? ""}`)
    : refuse("CredentialSuperseded", "the requester's certificate was followed by two newer ones");
}

function issuedTo({ status }: NodeIdentity): readonly IssuedCertificate[] {
  return (status?.certificates ?? []).filter(({ purpose }) => purpose === "Client");
}
