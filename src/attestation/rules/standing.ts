// What a node's identity permits to a request without evidence, under every signer and policy: "Requests without
// evidence" in docs/protocols/attestation.md. A bootstrap token, or a certificate that was obtained with one, is not
// enough for the name of an attested node.

import type { UserInfo } from "../../api/access/index.ts";
import { purposeOf } from "../../api/certificates/index.ts";
import type { IssuedCertificate, NodeIdentity } from "../../api/countersign/index.ts";
import { type Finding, pass, refuse } from "../../kernel/outcome/index.ts";
import { isRetired, isRevoked } from "./identity.ts";
import { credentialOf } from "./requester.ts";

export interface Unproven {
  readonly purpose: "client" | "serving";
  /**
   * SHA-256 of the certificate that the requester showed, as the API server stamped it; absent for a bootstrap token.
   */
  readonly credential: string | undefined;
}

export function unprovenOf(signerName: string, requester: UserInfo): Unproven {
  const purpose = purposeOf(signerName) === "NodeServing" ? "serving" : "client";
  return { purpose, credential: credentialOf(requester) };
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
  const isOwn = issuedTo(identity).some(({ sha256 }) => sha256 === asked.credential);
  if (isRetired(identity)) {
    // The certificates of a retired machine outlive it; whoever joined under its name since has none of them.
    return isOwn
      ? refuse("CredentialRevoked", `the node ${nodeName} of the requester's certificate was retired`)
      : pass("retired: the name is free");
  }
  if (isInsecureAlone(identity)) return judgeInsecureHolder(asked, isOwn);
  return asked.purpose === "client" ? refuseUnproven(identity) : judgeCustody(identity, asked);
}

/** Let in without proof, and no operator has enrolled the machine since: a reset with --ek-hash does. */
function isInsecureAlone({ spec, status }: NodeIdentity): boolean {
  return status?.provider === "insecure" && spec.tpm === undefined && spec.providerId === undefined;
}

/** An insecure provider cannot rotate: its certificate is traded for no other, under no signer. */
function judgeInsecureHolder({ purpose }: Unproven, isOwn: boolean): Finding {
  return purpose === "client" && isOwn
    ? refuse("ProviderCannotRenew", "the requester's certificate is the insecure provider's, which is not renewed")
    : pass("let in without proof");
}

function refuseUnproven({ spec, status }: NodeIdentity): Finding {
  const isAttested = status?.provider !== undefined && status.provider !== "insecure";
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
  const issued = issuedTo(identity).toReversed();
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
