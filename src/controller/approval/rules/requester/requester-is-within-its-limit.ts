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
    // Without the number: it changes all the time, and with it everything that is written about the request would.
    if (older < limit) return pass();
    return notYet(
      "TooManyPending",
      `${requester.username} has ${older} older requests pending, which is its limit; only its own requests wait`,
      RETRY_SLOWLY_MS,
    );
  },
};
