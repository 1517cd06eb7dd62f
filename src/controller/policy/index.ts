// The JoinPolicies of the cluster, read once and kept in order: which one covers a request. Without any, the answer is
// none, and the rules without a policy hold. A policy that cannot be read is remembered as such: see the rule
// policies-are-readable.

import type { JoinPolicy, Policy } from "../../api/countersign/index.ts";
import { JOIN_POLICIES } from "../../api/countersign/index.ts";
import { createInformer, type InformerOptions, type KubeClient } from "../../platform/kube/index.ts";
import type { PolicyCover } from "../judging/look.ts";
import { createFollower, type Follower } from "../served/index.ts";
import { createPolicyBook, type PolicyBook } from "./book.ts";

export { readPolicy } from "./book.ts";
export { createLockdownWatch } from "./lockdown.ts";
export { createPolicyAudit, type PolicyAudit } from "./record-changes.ts";
export { type Rehearsal, rehearse, type Snapshot } from "./rehearse.ts";

export interface Policies extends PolicyCover {
  readonly book: PolicyBook;
  hasSynced(): boolean;
  waitForSync(signal?: AbortSignal): Promise<void>;
  /** A policy came, changed or went, or it is known now that there is none. */
  onChange(handler: () => void): void;
  /** As they are written, for their status. */
  objects(): readonly JoinPolicy[];
  list(): readonly Policy[];
  run(signal: AbortSignal): Promise<void>;
}

type PolicyWorld = Pick<InformerOptions, "clock" | "random" | "log">;

export function createPolicies(client: KubeClient, world: PolicyWorld): Policies {
  const book = createPolicyBook();
  const follower: Follower<JoinPolicy> = createFollower({
    ...world,
    client,
    candidates: [JOIN_POLICIES],
    createInformer: (resource) => createInformer<JoinPolicy>(client, resource, world),
  });
  follower.onChange(({ type, object }) => (type === "DELETED" ? book.forget(object) : book.put(object)));
  return {
    book,
    of: book.of,
    hasShadow: book.hasShadow,
    broken: () => (follower.hasSynced() ? book.broken() : ["the JoinPolicies have not been read yet"]),
    hasSynced: follower.hasSynced,
    waitForSync: follower.waitForSync,
    onChange: (handler) => {
      follower.onChange(handler);
      follower.onSynced(handler);
    },
    objects: () => follower.informer()?.list() ?? [],
    list: book.list,
    run: follower.run,
  };
}
