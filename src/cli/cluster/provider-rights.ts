// Who installs a provider also lets the controller decide about its signers: the manifest knows only the product's own.

import { signersOfProvider } from "../../api/certificates/index.ts";
import { CLUSTER_ROLE_BINDINGS, CLUSTER_ROLES, type KubeObject } from "../../api/meta/index.ts";
import { CONTROLLER_USER } from "./controller-rights.ts";
import { RBAC_GROUP, RBAC_VERSION } from "./rbac-words.ts";
import type { Wanted } from "./wanted.ts";

const NAME = "countersign:installed-providers";

/** Nothing where none is installed. */
export function providerRights(providers: readonly { readonly name: string }[]): readonly Wanted[] {
  if (providers.length === 0) return [];
  const resourceNames = providers.flatMap(({ name }) => signersOfProvider(name));
  const rule = {
    apiGroups: ["certificates.k8s.io"],
    resources: ["signers"],
    resourceNames,
    verbs: ["approve", "sign"],
  };
  const role = { ...about("ClusterRole"), rules: [rule] };
  const binding = {
    ...about("ClusterRoleBinding"),
    roleRef: { apiGroup: RBAC_GROUP, kind: "ClusterRole", name: NAME },
    subjects: [{ apiGroup: RBAC_GROUP, kind: "User", name: CONTROLLER_USER }],
  };
  return [
    { resource: CLUSTER_ROLES, object: role },
    { resource: CLUSTER_ROLE_BINDINGS, object: binding },
  ];
}

function about(kind: string): KubeObject {
  return { apiVersion: RBAC_VERSION, kind, metadata: { name: NAME } };
}
