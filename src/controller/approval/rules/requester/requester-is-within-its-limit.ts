// One requester's flood must not stand in the way of the others, nor stop everything: the oldest of its pending requests are
// judged, the rest wait their turn, and are told so.
// differs from upstream: machine-approver counts all requests of the cluster together and stops approving altogether.

import type { ApprovalFacts } from "../../facts.ts";
import { notYet, pass, RETRY_SLOWLY_MS, RETRY_UNREAD_MS, type Rule } from "../rule.ts";

export const requesterIsWithinItsLimit: Rule<ApprovalFacts> = {
  id: "requester-is-within-its-limit",
  sentence: "the requester has fewer older requests pending than its limit",
  reasons: ["PendingIsNotCounted", "TooManyPending"],
  judge: ({ standing, requester }) => {
    if (standing.kind === "NotRead") return notYet("PendingIsNotCounted", standing.why, RETRY_UNREAD_MS);
    if (standing.kind === "Absent") return pass();
    const { older, limit } = standing.value;
    if (older < limit) return pass(`${older} older ones of at most ${limit}`);
    return notYet(
      "TooManyPending",
      `${requester.username} has ${older} older requests pending, more than its limit of ${limit}; only its own requests wait`,
      RETRY_SLOWLY_MS,
    );
  },
};
