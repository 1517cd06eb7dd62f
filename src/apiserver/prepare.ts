// What must be stored before the first request: the namespaces and other objects every cluster has, and the bootstrap policy.

import type { KubeObject } from "../api/meta/index.ts";
import { isFault } from "../kernel/outcome/index.ts";
import type { Clock } from "../platform/clock/index.ts";
import { reconcileBootstrapPolicy } from "./authorization/index.ts";
import { randomUid } from "./random.ts";
import { namespaceStrategy } from "./resources/kinds/namespace.ts";
import { metaForCreate, orderFields } from "./resources/metadata.ts";
import { keyOf } from "./storage/key.ts";
import type { Storage } from "./storage/storage.ts";
import { SYSTEM_OBJECTS, type SystemObject } from "./system-objects.ts";

const SYSTEM_NAMESPACES: readonly string[] = ["default", "kube-system", "kube-public", "kube-node-lease"];

export interface Preparation {
  readonly storage: Storage;
  readonly clock: Clock;
  readonly random: (count: number) => Uint8Array;
}

export async function prepareStorage(preparation: Preparation): Promise<void> {
  const { storage } = preparation;
  const asNew = (object: KubeObject) => stamped(object, preparation);
  await Promise.all(SYSTEM_NAMESPACES.map((name) => ensure(storage, aNamespace(name), asNew)));
  await Promise.all(SYSTEM_OBJECTS.map((object) => ensure(storage, object, asNew)));
  await reconcileBootstrapPolicy({ storage, asNew });
}

function aNamespace(name: string): SystemObject {
  return { strategy: namespaceStrategy, object: { kind: "Namespace", apiVersion: "v1", metadata: { name } } };
}

export function stamped(object: KubeObject, { clock, random }: Preparation): KubeObject {
  const identity = { uid: randomUid({ random }), nowMs: clock.now() };
  return orderFields({ ...object, metadata: metaForCreate(object.metadata, identity) });
}

/** Whoever has changed one of these keeps it as it is. */
async function ensure(
  storage: Storage,
  { strategy, object }: SystemObject,
  asNew: (object: KubeObject) => KubeObject,
): Promise<void> {
  const { namespace, name = "" } = object.metadata;
  const key = keyOf(strategy.resource, { namespace, name });
  if (storage.get(key) !== undefined) return;
  const facts = { user: { username: "", groups: [] }, nowMs: 0, list: () => [] };
  try {
    await storage.create(key, strategy.prepareCreate(asNew(object), facts));
  } catch (error) {
    if (!isFault(error, "already-exists")) throw error;
  }
}
