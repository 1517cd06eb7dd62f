// The subject becomes the identity: CN the user, every O a group. This is what kube-controller-manager asks of it;
// node-name-is-valid and subject-has-nothing-else ask for more.

import { NODE_USER_PREFIX, NODES_GROUP } from "../../../../api/certificates/index.ts";
import type { RequestFacts } from "../../facts.ts";
import { pass, type Rule, refuse, UNREADABLE_REASONS, withRequest } from "../rule.ts";

export const subjectIsANode: Rule<RequestFacts> = {
  id: "subject-is-a-node",
  sentence: "the subject's organization is system:nodes alone, and its common name begins with system:node:",
  reasons: [...UNREADABLE_REASONS, "OrganizationIsNotSystemNodes", "CommonNameIsNotANode"],
  judge: withRequest(({ subject }) => {
    const [organization, ...others] = subject.organizations;
    if (organization !== NODES_GROUP || others.length > 0) {
      return refuse(
        "OrganizationIsNotSystemNodes",
        `subject organizations are ${JSON.stringify(subject.organizations)}, expected exactly ["${NODES_GROUP}"]`,
      );
    }
    if (subject.commonName?.startsWith(NODE_USER_PREFIX) !== true) {
      return refuse(
        "CommonNameIsNotANode",
        `subject common name ${JSON.stringify(subject.commonName ?? "")} is not ${NODE_USER_PREFIX}<node name>`,
      );
    }
    return pass(subject.commonName);
  }),
};
