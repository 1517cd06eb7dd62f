// What follows system:node: becomes the name of a Node, part of paths and of labels, and is read by people: letters that only
// look like others, control characters and empty names have no business in it.
// differs from upstream: kube-controller-manager signs any name, an empty one included.

import { NODE_USER_PREFIX, nodeNameOf } from "../../../../api/certificates/index.ts";
import type { RequestFacts } from "../../facts.ts";
import { pass, type Rule, refuse, UNREADABLE_REASONS, withRequest } from "../rule.ts";

export const nodeNameIsValid: Rule<RequestFacts> = {
  id: "node-name-is-valid",
  sentence: "the node name is one that a Node can have",
  reasons: [...UNREADABLE_REASONS, "NodeNameIsInvalid"],
  isStricter: true,
  judge: withRequest(({ subject }) => {
    const name = nodeNameOf(subject.commonName);
    if (name !== undefined) return pass(name);
    return refuse(
      "NodeNameIsInvalid",
      `subject common name ${JSON.stringify(subject.commonName ?? "")} is not ${NODE_USER_PREFIX} and a DNS subdomain in lower case`,
    );
  }),
};
