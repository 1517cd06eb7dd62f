// Kubernetes' own recognizers: the cluster's authorizer says whether this user may have a request approved by rule, by the
// virtual rights certificatesigningrequests/nodeclient (a first certificate) and /selfnodeclient (the node's own next one).
// As in kube-controller-manager, a missing right is no refusal: it may be granted later.

import type { ApprovalFacts } from "../../facts.ts";
import { notYet, pass, RETRY_SLOWLY_MS, RETRY_UNREAD_MS, type Rule } from "../rule.ts";

export const requesterHasAccess: Rule<ApprovalFacts> = {
  id: "requester-has-access",
  sentence: "the requester may create certificatesigningrequests/nodeclient, or /selfnodeclient for its own name",
  reasons: ["AccessIsNotRead", "AccessIsNotGranted"],
  judge: ({ access, requester }) => {
    if (access.kind === "NotRead") return notYet("AccessIsNotRead", access.why, RETRY_UNREAD_MS);
    if (access.kind === "Present" && access.value.isAllowed) return pass(access.value.right);
    const right = access.kind === "Present" ? access.value.right : "nodeclient";
    return notYet(
      "AccessIsNotGranted",
      `${requester.username} may not create certificatesigningrequests/${right}; grant it, or approve by hand`,
      RETRY_SLOWLY_MS,
    );
  },
};
