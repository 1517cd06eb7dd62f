// The subject becomes the identity: CN the user, every O a group. So it holds these two attributes and nothing else.
// differs from upstream: kube-controller-manager accepts any CN that begins with system:node:, an empty node name
// included, and does not look at further subject attributes.

import { NODE_USER_PREFIX, NODES_GROUP, nodeNameOf } from "../../../api/certificates/index.ts";
import type { RequestFacts } from "../facts.ts";
import { pass, type Rule, refuse, withRequest } from "./rule.ts";

export const subjectIsANode: Rule<RequestFacts> = {
  id: "subject-is-a-node",
  sentence: "the subject is O=system:nodes and CN=system:node:<a valid node name>, and nothing beside them",
  judge: withRequest(({ subject }) => {
    const [organization, ...others] = subject.organizations;
    if (organization !== NODES_GROUP || others.length > 0) {
      return refuse(
        "OrganizationIsNotSystemNodes",
        `subject organizations are ${JSON.stringify(subject.organizations)}, expected exactly ["${NODES_GROUP}"]`,
      );
    }
    if (nodeNameOf(subject.commonName) === undefined) {
      return refuse(
        "CommonNameIsNotANode",
        `subject common name ${JSON.stringify(subject.commonName ?? "")} is not ${NODE_USER_PREFIX}<node name>`,
      );
    }
    if (subject.attributes.length !== 2) {
      return refuse(
        "SubjectHasForeignAttributes",
        `subject has ${subject.attributes.length} attributes, expected one organization and one common name`,
      );
    }
    return pass(subject.commonName);
  }),
};
