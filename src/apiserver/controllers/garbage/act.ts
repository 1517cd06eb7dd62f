// What the collector writes. Every write names the revision it was decided on, so that a race ends in a conflict.

import type { KubeObject } from "../../../api/meta/index.ts";
import { isFault } from "../../../kernel/outcome/index.ts";
import type { InsideClient } from "../inside-client.ts";
import { dependentsOf, gather, type Item, itemAt, type Sources } from "./gather.ts";
import { FOREGROUND, type GarbagePlan, ORPHAN, planGarbage } from "./plan.ts";

export async function act(plan: GarbagePlan, item: Item, hands: Hands): Promise<void> {
  switch (plan.kind) {
    case "orphan":
      for (const one of dependentsOf(item.object, hands.sources))
        await forget(one, [item.object.metadata.uid ?? ""], hands);
      return release(item, ORPHAN, hands);
    case "delete-dependents":
      for (const key of plan.keys) await follow(key, hands);
      return plan.isDone ? release(item, FOREGROUND, hands) : undefined;
    case "forget-owners":
      return forget(item, plan.uids, hands);
    case "unblock-owners":
      return unblock(item, hands);
    case "delete":
      return remove(item, plan.policy, hands);
    case "nothing":
      return undefined;
  }
}

interface Hands {
  readonly client: InsideClient;
  readonly sources: Sources;
}

const AT_ONCE: readonly GarbagePlan["kind"][] = ["delete", "forget-owners", "unblock-owners"];

/** A dependent of an object that waits for it. Its own plan decides whether it is deleted: another owner may exist. */
async function follow(key: string, hands: Hands): Promise<void> {
  const item = itemAt(key, hands.sources);
  if (item === undefined) return;
  const plan = planGarbage(gather(item, hands.sources));
  // Only what can be done at once: an object with dependents of its own has its own turn.
  if (AT_ONCE.includes(plan.kind)) await act(plan, item, hands);
}

async function forget({ object, resource }: Item, uids: readonly string[], { client }: Hands): Promise<void> {
  const ownerReferences = (object.metadata.ownerReferences ?? []).filter(({ uid }) => !uids.includes(uid));
  await patchMeta({ object, resource }, { ownerReferences }, client);
}

/** The change queues the object again, and the collector deletes it then. */
async function unblock({ object, resource }: Item, { client }: Hands): Promise<void> {
  const references = object.metadata.ownerReferences ?? [];
  const ownerReferences = references.map((one) => ({ ...one, blockOwnerDeletion: false }));
  await patchMeta({ object, resource }, { ownerReferences }, client);
}

/** The finalizer has been waited for. */
async function release({ object, resource }: Item, finalizer: string, { client }: Hands): Promise<void> {
  const finalizers = (object.metadata.finalizers ?? []).filter((one) => one !== finalizer);
  await patchMeta({ object, resource }, { finalizers }, client);
}

async function patchMeta(
  { object, resource }: Pick<Item, "object" | "resource">,
  change: Partial<KubeObject["metadata"]>,
  client: InsideClient,
): Promise<void> {
  const { name = "", namespace, uid, resourceVersion } = object.metadata;
  await client.patch(resource, { namespace, name }, { metadata: { uid, resourceVersion, ...change } });
}

async function remove(
  { object, resource }: Item,
  propagationPolicy: "Background" | "Foreground" | "Orphan",
  { client }: Hands,
): Promise<void> {
  const { name = "", namespace, uid, resourceVersion } = object.metadata;
  try {
    await client.remove(resource, { namespace, name }, { uid, resourceVersion, propagationPolicy });
  } catch (error) {
    // Deleted already.
    if (!isFault(error, "not-found")) throw error;
  }
}
