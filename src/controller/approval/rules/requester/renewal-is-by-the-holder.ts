// A certificate outlives the trust in its machine: an operator deletes the Node, another machine joins under the name, and
// the first one's certificate is still good. It must not buy the next one. The API server says with which certificate the
// requester came; the claims say which certificates hold the name. Where no claim is known any more (requests are cleaned
// away after an hour) the certificate itself is believed, as kube-controller-manager believes it.
//
// An approval whose certificate is not known is waited for, and not for ever. Both ways somebody may gain by it:
//   who may approve for the name, by mistake or not, would shut the honest node out until its certificate is over, if no end were;
//   a machine that lost its name to another could outwait that one's approval, if the end came before the signer did.
// So it is waited for as long as an issued request stays (an hour): a signer signs within seconds, a kubelet waits a quarter of an
// hour and asks anew. After that nobody is known to have the name, as when the request was cleaned away; the node that has a living
// certificate of it goes on, and whoever gets one later holds the name beside it. Approvals for signers that nobody here knows are
// no claims before a certificate of the cluster's CA comes of them (claims.ts).
// differs from upstream: kube-controller-manager lets any living certificate of the name renew.

import type { ApprovalFacts, Claim } from "../../facts.ts";
import { credentialOf, isRenewal } from "../../identity.ts";
import { notYet, pass, RETRY_UNREAD_MS, type Rule, refuse, UNREADABLE_REASONS, withRequest } from "../rule.ts";

export const renewalIsByTheHolder: Rule<ApprovalFacts> = {
  id: "renewal-is-by-the-holder",
  sentence: "a node renews with a certificate that holds its name, or with the one that asked for it",
  reasons: [
    ...UNREADABLE_REASONS,
    ...["ClaimsAreNotRead", "CredentialIsUnknown", "HolderIsNotKnownYet", "RequesterIsNotTheHolder"],
  ],
  isStricter: true,
  judge: withRequest((request, facts) => {
    if (!isRenewal(request, facts.requester)) return pass("a first certificate");
    if (facts.claims.kind === "NotRead") return notYet("ClaimsAreNotRead", facts.claims.why, RETRY_UNREAD_MS);
    const claims = facts.claims.kind === "Present" ? facts.claims.value.filter(isStanding(facts)) : [];
    const [first] = claims;
    if (first === undefined) return pass("no other claim on the name is known");
    const own = credentialOf(facts.requester.extra);
    if (own === undefined) {
      return refuse("CredentialIsUnknown", "the API server does not say with which certificate the requester came");
    }
    if (claims.some(({ credential, requesterCredential }) => credential === own || requesterCredential === own)) {
      return pass("the holder of the name");
    }
    const unissued = claims.find(({ credential }) => credential === undefined);
    if (unissued !== undefined) {
      const text = `${unissued.csrName} was approved for the name, and its certificate is not known yet`;
      return notYet("HolderIsNotKnownYet", text, RETRY_UNREAD_MS);
    }
    return refuse(
      "RequesterIsNotTheHolder",
      `the name is held by another certificate, issued for ${first.csrName}; delete that request to give the name free`,
    );
  }),
};

/** How long after its approval the certificate of a request is waited for. */
const UNISSUED_MS = 3_600_000;

/** Of another request, approved, and not over. */
function isStanding({ csrUid, nowMs }: ApprovalFacts): (claim: Claim) => boolean {
  return (claim) => claim.csrUid !== csrUid && claim.standing === "Approved" && !isOver(claim, nowMs);
}

/** A certificate that is there and cannot be read has no known end, and none that can be waited for: its approval ends it. */
function isOver({ notAfterMs, approvedMs = Number.POSITIVE_INFINITY }: Claim, nowMs: number): boolean {
  return notAfterMs === undefined ? nowMs - approvedMs > UNISSUED_MS : notAfterMs <= nowMs;
}
