// A serving certificate is asked for by the node that will serve with it, under its own name.

import { AUTHENTICATED_GROUP } from "../../../../api/access/index.ts";
import { NODE_USER_PREFIX, NODES_GROUP } from "../../../../api/certificates/index.ts";
import type { ApprovalFacts } from "../../facts.ts";
import { pass, type Rule, refuse, UNREADABLE_REASONS, withRequest } from "../rule.ts";

export const requesterIsTheNode: Rule<ApprovalFacts> = {
  id: "requester-is-the-node",
  sentence: "the requester is a node, in the groups of nodes, and the common name is its user name",
  reasons: [...UNREADABLE_REASONS, "RequesterIsNoNode", "RequesterIsAnotherNode"],
  judge: withRequest((request, { requester: { username, groups } }) => {
    const isNode = username.startsWith(NODE_USER_PREFIX) && username.length > NODE_USER_PREFIX.length;
    if (!isNode || !groups.includes(NODES_GROUP) || !groups.includes(AUTHENTICATED_GROUP)) {
      return refuse(
        "RequesterIsNoNode",
        `requester ${JSON.stringify(username)} is not a node in the group ${NODES_GROUP}`,
      );
    }
    if (username !== request.subject.commonName) {
      return refuse(
        "RequesterIsAnotherNode",
        `requester ${username} asks for ${JSON.stringify(request.subject.commonName ?? "")}, not for itself`,
      );
    }
    return pass(username);
  }),
};
