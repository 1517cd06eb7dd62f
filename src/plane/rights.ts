// Rights of the controller in an embedded cluster: those of deploy/controller-rbac.yaml, as in every other cluster, and
// those for the signers of installed providers, which that manifest does not know.

import { signersOfProvider } from "../api/certificates/index.ts";
import {
  CLUSTER_ROLE_BINDINGS,
  CLUSTER_ROLES,
  type KubeObject,
  NAMESPACES,
  ROLE_BINDINGS,
  ROLES,
  SERVICE_ACCOUNTS,
} from "../api/meta/index.ts";
import { loadManifest } from "./manifests.ts";
import { RBAC_GROUP, RBAC_VERSION, type WantedObject } from "./wanted-objects.ts";

/** User name of the ServiceAccount in the manifest. Here the controller shows a client certificate of that name. */
export const CONTROLLER_USER = "system:serviceaccount:countersign-system:node-attestation-controller";

const MANIFEST = "deploy/controller-rbac.yaml";
const SERVED = [NAMESPACES, SERVICE_ACCOUNTS, CLUSTER_ROLES, CLUSTER_ROLE_BINDINGS, ROLES, ROLE_BINDINGS];

export async function loadControllerRights(): Promise<readonly WantedObject[]> {
  return (await loadManifest(MANIFEST)).flatMap((object) => {
    const resource = SERVED.find(({ kind }) => kind === object.kind);
    return resource === undefined ? [] : [{ resource, object }];
  });
}

const PROVIDERS_ROLE = "countersign:installed-providers";

/** Lets the controller approve and sign for the signers of these providers; empty when there are none. */
export function providerRights(providers: readonly { readonly name: string }[]): readonly WantedObject[] {
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
    roleRef: { apiGroup: RBAC_GROUP, kind: "ClusterRole", name: PROVIDERS_ROLE },
    subjects: [{ apiGroup: RBAC_GROUP, kind: "User", name: CONTROLLER_USER }],
  };
  return [
    { resource: CLUSTER_ROLES, object: role },
    { resource: CLUSTER_ROLE_BINDINGS, object: binding },
  ];
}

function about(kind: string): KubeObject {
  return { apiVersion: RBAC_VERSION, kind, metadata: { name: PROVIDERS_ROLE } };
}
