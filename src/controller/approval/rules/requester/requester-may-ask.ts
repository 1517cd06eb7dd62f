// Who may ask at all: the holder of a bootstrap token or a bootstrap user of the policy for a first certificate, the node
// itself for the next one. Username and groups are the API server's word, so they are trusted; the name in the subject is the
// requester's word. NodeRestriction holds a node to its own CN under the kubelet client signer only: under ours a node may
// send any CN.

import { NODE_USER_PREFIX, NODES_GROUP } from "../../../../api/certificates/index.ts";
import type { ApprovalFacts } from "../../facts.ts";
import { bootstrapTokenId } from "../../identity.ts";
import { pass, type Rule, refuse, UNREADABLE_REASONS, withRequest } from "../rule.ts";

export const requesterMayAsk: Rule<ApprovalFacts> = {
  id: "requester-may-ask",
  sentence:
    "the requester is a bootstrap token, a bootstrap user of the policy, or the very node whose name it asks for",
  reasons: [
    ...UNREADABLE_REASONS,
    "BootstrapTokensAreRefused",
    "RequesterIsNeitherTokenNorNode",
    "RequesterIsAnotherNode",
  ],
  judge: withRequest((request, { requester, policy }) => {
    const tokenId = bootstrapTokenId(requester);
    const isListed = policy?.client.requesters.includes(requester.username) === true;
    if (tokenId !== undefined) {
      return policy?.client.bootstrapTokens === "Refuse" && !isListed
        ? refuse("BootstrapTokensAreRefused", `policy ${policy.name} admits no holder of a bootstrap token`)
        : pass(`bootstrap token ${tokenId}`);
    }
    const isNode = requester.username.startsWith(NODE_USER_PREFIX) && requester.groups.includes(NODES_GROUP);
    if (!isNode) {
      if (isListed) return pass(`bootstrap user ${requester.username}`);
      return refuse(
        "RequesterIsNeitherTokenNorNode",
        `requester ${JSON.stringify(requester.username)} is neither a bootstrap token nor a node`,
      );
    }
    if (requester.username !== request.subject.commonName) {
      return refuse(
        "RequesterIsAnotherNode",
        `requester ${requester.username} asks for ${JSON.stringify(request.subject.commonName ?? "")}, not for itself`,
      );
    }
    return pass(`${requester.username} itself`);
  }),
};
