// The controller of an embedded cluster has the rights of deploy/controller-rbac.yaml and no others: one text says what it
// may do, wherever it runs.

import { readFile } from "node:fs/promises";
import { parseAllDocuments } from "yaml";
import {
  CLUSTER_ROLE_BINDINGS,
  CLUSTER_ROLES,
  type KubeObject,
  NAMESPACES,
  ROLE_BINDINGS,
  ROLES,
  SERVICE_ACCOUNTS,
} from "../../api/meta/index.ts";
import { Fault } from "../../kernel/outcome/index.ts";
import type { Wanted } from "./wanted.ts";

/** The user name of the ServiceAccount in the manifest. Here the controller proves it with a client certificate. */
export const CONTROLLER_USER = "system:serviceaccount:countersign-system:node-attestation-controller";

const MANIFEST = new URL("../../../deploy/controller-rbac.yaml", import.meta.url);
const SERVED = [NAMESPACES, SERVICE_ACCOUNTS, CLUSTER_ROLES, CLUSTER_ROLE_BINDINGS, ROLES, ROLE_BINDINGS];

export async function loadControllerRights(): Promise<readonly Wanted[]> {
  const documents = parseAllDocuments(await readManifest());
  return documents.flatMap((document) => {
    const object: KubeObject = document.toJS();
    const resource = SERVED.find(({ kind }) => kind === object.kind);
    return resource === undefined ? [] : [{ resource, object }];
  });
}

async function readManifest(): Promise<string> {
  try {
    return await readFile(MANIFEST, "utf8");
  } catch (cause) {
    throw new Fault("io-failed", "cannot read deploy/controller-rbac.yaml, which belongs to the installation", {
      cause,
    });
  }
}
