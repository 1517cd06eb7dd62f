// A bootstrap credential is shared by many machines, so it must never buy the name of a machine that has joined. Two
// witnesses: the Node object, and the approved requests of that name, for the time between approval and registration.
// The first approved key wins; it keeps the name as long as its request stands (not cleaned, certificate not expired).
// The same key may ask again: a node that crashed before it stored its certificate does.
// A request that was refused for its name stays refused when the name becomes free: else whoever asks for a registered name
// and waits would get it the moment an operator deletes the Node to set the machine up anew.
// differs from upstream: kube-controller-manager gives a first certificate for any name, at any time.

import { nodeNameOf } from "../../../../api/certificates/index.ts";
import type { ApprovalFacts, Claim } from "../../facts.ts";
import { isRenewal, keyDigestOf } from "../../identity.ts";
import {
  type Finding,
  notYet,
  pass,
  RETRY_UNREAD_MS,
  type Rule,
  refuse,
  UNREADABLE_REASONS,
  withRequest,
} from "../rule.ts";

/** An approval without an answer is sent again within a second or so; then the name is claimed or free. */
const RETRY_RESERVED_MS = 1_000;

/** The reasons of this rule that a request keeps. */
export const NAME_IS_TAKEN: readonly string[] = ["NodeIsRegistered", "NameIsClaimed"];

export const nodeIsNotRegisteredYet: Rule<ApprovalFacts> = {
  id: "node-is-not-registered-yet",
  sentence: "a first certificate is only for a name that has no Node and that no other key has been approved for",
  reasons: [
    ...UNREADABLE_REASONS,
    ...["NodeIsNotRead", "NodeIsRegistered", "ClaimsAreNotRead", "NameIsClaimed", "NameIsBeingClaimed"],
  ],
  isStricter: true,
  judge: withRequest((request, facts) => {
    if (isRenewal(request, facts.requester)) return pass("a renewal");
    const name = nodeNameOf(request.subject.commonName) ?? "";
    if (facts.earlierRefusal !== undefined) return refuse(facts.earlierRefusal.reason, facts.earlierRefusal.message);
    if (facts.node.kind === "NotRead") return notYet("NodeIsNotRead", facts.node.why, RETRY_UNREAD_MS);
    if (facts.node.kind === "Present") {
      return refuse(
        "NodeIsRegistered",
        `node ${name} is registered; only the node itself can ask for its name again, and this request stays refused`,
      );
    }
    if (facts.claims.kind === "NotRead") return notYet("ClaimsAreNotRead", facts.claims.why, RETRY_UNREAD_MS);
    const claims = facts.claims.kind === "Present" ? facts.claims.value : [];
    return judgeClaims(name, claims.filter(isRival(facts, keyDigestOf(request.publicKey))));
  }),
};

function judgeClaims(name: string, rivals: readonly Claim[]): Finding {
  const approved = rivals.find(({ standing }) => standing === "Approved");
  if (approved !== undefined) {
    return refuse(
      "NameIsClaimed",
      `another key was approved for node ${name} by ${approved.csrName}; delete that request to give the name free`,
    );
  }
  const reserved = rivals[0];
  if (reserved !== undefined) {
    const message = `${reserved.csrName} is being approved for node ${name} with another key`;
    return notYet("NameIsBeingClaimed", message, RETRY_RESERVED_MS);
  }
  return pass(`no node ${name}`);
}

/** A claim of another request, for another key, whose certificate is still to come or still valid. */
function isRival(facts: ApprovalFacts, keyDigest: string): (claim: Claim) => boolean {
  return (claim) =>
    claim.csrUid !== facts.csrUid &&
    claim.keyDigest !== keyDigest &&
    (claim.notAfterMs === undefined || claim.notAfterMs > facts.nowMs);
}
