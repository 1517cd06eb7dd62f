// An object that a cluster shall hold.

import type { KubeObject, Resource } from "../../api/meta/index.ts";

export interface Wanted {
  readonly resource: Resource;
  readonly object: KubeObject;
  /** Made when it is missing, and the operator's from then on. */
  readonly isMadeOnce?: boolean;
  /** Lets somebody do something. Made at the cluster's first start: what an operator takes away stays away. */
  readonly isGrant?: boolean;
}
