// The controller of an embedded cluster has the rights of deploy/controller-rbac.yaml and no others: one text says what it
// may do, wherever it runs.

import {
  CLUSTER_ROLE_BINDINGS,
  CLUSTER_ROLES,
  NAMESPACES,
  ROLE_BINDINGS,
  ROLES,
  SERVICE_ACCOUNTS,
} from "../../api/meta/index.ts";
import { loadManifest } from "./manifests.ts";
import type { Wanted } from "./wanted.ts";

/** The user name of the ServiceAccount in the manifest. Here the controller proves it with a client certificate. */
export const CONTROLLER_USER = "system:serviceaccount:countersign-system:node-attestation-controller";

const MANIFEST = "deploy/controller-rbac.yaml";
const SERVED = [NAMESPACES, SERVICE_ACCOUNTS, CLUSTER_ROLES, CLUSTER_ROLE_BINDINGS, ROLES, ROLE_BINDINGS];

export async function loadControllerRights(): Promise<readonly Wanted[]> {
  return (await loadManifest(MANIFEST)).flatMap((object) => {
    const resource = SERVED.find(({ kind }) => kind === object.kind);
    return resource === undefined ? [] : [{ resource, object }];
  });
}
