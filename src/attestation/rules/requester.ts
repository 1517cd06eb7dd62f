// Rules about the requester, whom the API server stamped: may it ask, how often, and with which credential.

import type { UserInfo } from "../../api/access/index.ts";
import { BOOTSTRAPPERS_GROUP, NODE_USER_PREFIX, NODES_GROUP } from "../../api/certificates/index.ts";
import type { IssuedCertificate, NodeIdentityStatus } from "../../api/countersign/index.ts";
import { type Finding, notYet, pass, type Rule, refuse } from "../../kernel/outcome/index.ts";
import { type EvidenceFacts, type LimitFacts, RETRY_UNREAD_MS } from "./facts.ts";
import { isProven, isRetired } from "./identity.ts";
import { withEvidence } from "./with-evidence.ts";

const CREDENTIAL_ID = "authentication.kubernetes.io/credential-id";
const CREDENTIAL = /^X509SHA256=([0-9a-f]{64})$/;
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
    const isListed = facts.listedRequesters.includes(requester.username);
    const isBootstrapper = requester.groups.includes(BOOTSTRAPPERS_GROUP);
    if (isBootstrapper && !isListed && facts.refusesBootstrapTokens === true)
      return refuse("RequesterNotAllowed", "the policy admits no holder of a bootstrap token");
    return isBootstrapper || isListed
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
  const issued = clientCertificates(facts.identity).filter(isProven);
  const age = issued.toReversed().findIndex(({ sha256 }) => sha256 === credential);
  const certificate = issued.at(-1 - age);
  if (credential === undefined || age < 0 || certificate === undefined)
    return refuse("CredentialUnknown", "the requester's certificate is not one that was issued after attestation");
  if (facts.identity.kind === "Present" && isRetired(facts.identity.value))
    return refuse("CredentialRevoked", "the node of the requester's certificate was retired");
  return judgeCredential(certificate, age, facts);
}

/** Retired or not: whose certificates were once known are still known, and revoked. */
function statusOf(identity: EvidenceFacts["identity"]): NodeIdentityStatus | undefined {
  return identity.kind === "Present" ? identity.value.status : undefined;
}

function clientCertificates(identity: EvidenceFacts["identity"]): readonly IssuedCertificate[] {
  return (statusOf(identity)?.certificates ?? []).filter(({ purpose }) => purpose === "Client");
}

/** `age`: 0 is the current certificate, 1 the one before. */
function judgeCredential({ revoked }: IssuedCertificate, age: number, facts: EvidenceFacts): Finding {
  if (revoked === true) return refuse("CredentialRevoked", "the requester's certificate was revoked");
  if (age > 1) return refuse("CredentialSuperseded", "the requester's certificate was followed by two newer ones");
  if (age === 0) return pass("current certificate");
  if (!isUsedLate(facts)) return pass("previous certificate");
  return facts.policy.previousCredential === "Refuse"
    ? refuse("CredentialSuperseded", `${USED_LATE}; the policy refuses it`)
    : pass(USED_LATE);
}

export const USED_LATE = "the certificate before the current one is used more than an hour after that was given";
const CHANGE_OVER_MS = 3_600_000;

/**
 * Two hold one identity, or a write was lost: the previous certificate is used long after the current one was given.
 */
export function isUsedLate({ object, identity, nowMs }: EvidenceFacts): boolean {
  const [previous, current] = clientCertificates(identity).slice(-2);
  const isPrevious = current !== undefined && previous?.sha256 === credentialOf(object.requester);
  return isPrevious && nowMs - Date.parse(current.issuedAt ?? "") > CHANGE_OVER_MS;
}

/** SHA-256 of the certificate that the requester showed, as the API server stamped it. */
export function credentialOf({ extra }: UserInfo): string | undefined {
  for (const id of extra?.[CREDENTIAL_ID] ?? []) {
    const match = CREDENTIAL.exec(id);
    if (match !== null) return match[1];
  }
  return undefined;
}

/** Of one requester with one endorsement key: one that crashed, one that goes on, and two for a race. */
const OPEN_OF_REQUESTER_AND_KEY = 4;
const OPEN_IN_CLUSTER = 2_000;
const RETRY_MS = 15_000;

export const limitsAreKept: Rule<EvidenceFacts> = {
  id: "limits-are-kept",
  sentence: "open requests and new identities stay within their limits",
  judge: ({ limits }) => {
    if (limits.newIdentitiesInHour >= limits.newIdentitiesPerHour)
      return notYet("JoinRateExceeded", describeRate(limits), RETRY_MS);
    const isCrowded =
      limits.openOfRequester >= limits.openOfRequesterLimit ||
      limits.openOfRequesterAndKey >= OPEN_OF_REQUESTER_AND_KEY ||
      limits.openInCluster >= OPEN_IN_CLUSTER;
    return isCrowded ? notYet("Throttled", "too many requests are open; this one waits its turn", RETRY_MS) : pass();
  },
};

function describeRate({ newIdentitiesInHour, newIdentitiesPerHour, newIdentitiesPerHourBy }: LimitFacts): string {
  return (
    `${newIdentitiesInHour} nodes joined for the first time within the last hour, and ${newIdentitiesPerHour} may, by ` +
    `${newIdentitiesPerHourBy}; the others wait until the hour is over. If they are expected, raise ` +
    "spec.limits.newIdentitiesPerHour of the JoinPolicy for their names; if not, a bootstrap token leaked"
  );
}

export interface Alarm {
  readonly reason: "PreviousCredentialUsed" | "TpmClockRegressed";
  readonly message: string;
}

/** Of any renewal. */
export function credentialAlarms(facts: EvidenceFacts): readonly Alarm[] {
  return isUsedLate(facts) ? [{ reason: "PreviousCredentialUsed", message: USED_LATE }] : [];
}
