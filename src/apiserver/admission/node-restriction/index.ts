// NodeRestriction: a node writes only its own objects. The node authorizer allows by kind and verb; here the content
// decides. Kinds without a rule pass. Behaviour of kubernetes/plugin/pkg/admission/noderestriction.

import { nodeOfUser } from "../../../authorizer/index.ts";
import type { Attempt } from "../../call.ts";
import { type Plugin, type Questions, refuse, refuseMissing } from "../plugin.ts";
import { nodes } from "./rules/nodes.ts";
import {
  certificateSigningRequests,
  csiNodes,
  leases,
  persistentVolumeClaims,
  resourceSlices,
} from "./rules/own-objects.ts";
import { pods } from "./rules/pods.ts";
import type { Objection, WriteRule } from "./rules/rule.ts";
import { tokenRequests } from "./rules/tokens.ts";

const NAME = "NodeRestriction";

/** By `<group>/<plural>`; the version does not matter. */
const RULES: ReadonlyMap<string, WriteRule> = new Map([
  ["/pods", pods],
  ["/nodes", nodes],
  ["/persistentvolumeclaims", persistentVolumeClaims],
  ["/serviceaccounts", tokenRequests],
  ["coordination.k8s.io/leases", leases],
  ["storage.k8s.io/csinodes", csiNodes],
  ["resource.k8s.io/resourceslices", resourceSlices],
  ["certificates.k8s.io/certificatesigningrequests", certificateSigningRequests],
  ["certificates.k8s.io/podcertificaterequests", () => "PodCertificateRequest feature gate is disabled"],
]);

export const nodeRestriction: Plugin = {
  name: NAME,
  phase: "before",
  judge: (attempt, questions) => {
    const node = nodeOfUser(attempt.user);
    if (node === undefined) return undefined;
    const objection = objectionTo(attempt, node, questions);
    if (objection === undefined) return undefined;
    if (typeof objection === "string") return refuse(NAME, "NotOwnObject", objection);
    return refuseMissing(NAME, objection.missing, objection.name);
  },
};

function objectionTo(attempt: Attempt, node: string, questions: Questions): Objection | undefined {
  if (node === "") return `could not determine node from user ${JSON.stringify(attempt.user.username)}`;
  const { group, plural } = attempt.resource;
  return RULES.get(`${group}/${plural}`)?.(attempt, { node, questions });
}
