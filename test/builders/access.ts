// Somebody who asks for something, and a rule that allows it.

import type { Attributes, PolicyRule } from "../../src/api/access/index.ts";

export const ASKED: Attributes = {
  user: { username: "jane", groups: ["dev", "system:authenticated"] },
  verb: "get",
  isResource: true,
  path: "",
  group: "",
  version: "v1",
  resource: "pods",
  subresource: "",
  namespace: "ns",
  name: "p",
  fieldRequirements: [],
};

export function aRule(changed: Partial<PolicyRule> = {}): PolicyRule {
  return { verbs: ["get"], apiGroups: [""], resources: ["pods"], ...changed };
}
