// H12. A first certificate is asked for with a bootstrap credential, a later one with a certificate of ours that is current or was
// just before: only the API server's word about the requester counts.
import type { UserInfo } from "../../../api/access/index.ts";
import { BOOTSTRAPPERS_GROUP, NODE_USER_PREFIX, NODES_GROUP } from "../../../api/certificates/index.ts";
import type { IssuedCertificate } from "../../../api/countersign/index.ts";
import { type Finding, notYet, pass, type Rule, refuse } from "../../../kernel/outcome/index.ts";
import type { EvidenceFacts } from "../facts.ts";
import { pinsOf } from "../identity.ts";
import { withEvidence } from "../with-evidence.ts";

export const CREDENTIAL_ID = "authentication.kubernetes.io/credential-id";
const CREDENTIAL = /^X509SHA256=([0-9a-f]{64})$/;
const RETRY_UNREAD_MS = 2_000;

export const requesterMayAsk: Rule<EvidenceFacts> = {
  id: "requester-may-ask",
  sentence: "a join comes with a bootstrap credential, a renewal with the node's own current or previous certificate",
  judge: withEvidence(({ envelope }, facts) => {
    const { requester } = facts.object;
    if (envelope.intent === "renew") return judgeRenewal(facts, envelope.node);
    if (envelope.purpose === "serving")
      return refuse("RequesterNotAllowed", "a serving certificate needs the node's own certificate first");
    if (requester.groups.includes(NODES_GROUP))
      return refuse("RequesterNotAllowed", "a node must not join again with its certificate");
    const mayJoin =
      requester.groups.includes(BOOTSTRAPPERS_GROUP) || facts.listedRequesters.includes(requester.username);
    return mayJoin
      ? pass(requester.username)
      : refuse("RequesterNotAllowed", `${JSON.stringify(requester.username)} is no bootstrap identity`);
  }),
};

function judgeRenewal(facts: EvidenceFacts, node: string): Finding {
  const { requester } = facts.object;
  if (requester.username !== NODE_USER_PREFIX + node || !requester.groups.includes(NODES_GROUP))
    return refuse("RequesterNotAllowed", `${JSON.stringify(requester.username)} is not the node ${node}`);
  if (facts.identity.kind === "NotRead") return notYet("IdentityNotRead", facts.identity.why, RETRY_UNREAD_MS);
  const credential = credentialOf(requester);
  const issued = (pinsOf(facts.identity)?.certificates ?? []).filter(({ purpose }) => purpose === "Client");
  const age = issued.toReversed().findIndex(({ sha256 }) => sha256 === credential);
  const certificate = issued.at(-1 - age);
  if (credential === undefined || age < 0 || certificate === undefined)
    return refuse("CredentialUnknown", "the requester's certificate is not one that was issued after attestation");
  return judgeCredential(certificate, age);
}

/** `age`: 0 is the current certificate, 1 the one before. */
function judgeCredential({ revoked }: IssuedCertificate, age: number): Finding {
  if (revoked === true) return refuse("CredentialRevoked", "the requester's certificate was revoked");
  if (age > 1) return refuse("CredentialSuperseded", "the requester's certificate was followed by two newer ones");
  return pass(age === 0 ? "current certificate" : "previous certificate");
}

/** SHA-256 of the certificate that the requester showed, as the API server stamped it. */
export function credentialOf({ extra }: UserInfo): string | undefined {
  for (const id of extra?.[CREDENTIAL_ID] ?? []) {
    const match = CREDENTIAL.exec(id);
    if (match !== null) return match[1];
  }
  return undefined;
}
