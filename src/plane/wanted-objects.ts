// Objects that an embedded cluster must hold, how they get into it, and the RBAC words that many of them share.

import type { Subject } from "../api/access/index.ts";
import type { KubeObject, Resource } from "../api/meta/index.ts";
import { isFault } from "../kernel/outcome/index.ts";
import type { KubeClient } from "../platform/kube/index.ts";

export interface WantedObject {
  readonly resource: Resource;
  readonly object: KubeObject;
  /** Made when it is missing; from then on only the operator changes it. */
  readonly isMadeOnce?: boolean;
  /**
   * Grants a right. Made at the cluster's first start only, so that a grant which an operator removed stays removed.
   */
  readonly isGrant?: boolean;
}

/** Creates what is missing and brings the rest to what is wanted; other fields (signatures of cluster-info) stay. */
export async function ensureObjects(
  client: KubeClient,
  wanted: readonly WantedObject[],
  { isFirstStart }: { readonly isFirstStart: boolean },
): Promise<void> {
  for (const { resource, object, isMadeOnce = false, isGrant = false } of wanted) {
    if (isGrant && !isFirstStart) continue;
    try {
      await client.create(resource, object);
    } catch (failure) {
      if (!isFault(failure, "already-exists")) throw failure;
      if (isMadeOnce) continue;
      const { name = "", namespace } = object.metadata;
      const { apiVersion: _version, kind: _kind, metadata: _metadata, ...content } = object;
      await client.patch(resource, { name, namespace }, content);
    }
  }
}

export const RBAC_GROUP = "rbac.authorization.k8s.io";
export const RBAC_VERSION = `${RBAC_GROUP}/v1`;

export function groupSubject(name: string): Subject {
  return { kind: "Group", apiGroup: RBAC_GROUP, name };
}
