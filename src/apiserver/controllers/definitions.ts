// Definitions after they are written: before a definition is deleted, its objects are; and a name that becomes free is
// given to a definition that waits for it. k8s.io/apiextensions-apiserver/pkg/controller/{finalizer,status}. Like those
// it works on storage itself: a kind that is no longer served has objects too.

import { isSameJson } from "../../kernel/json/index.ts";
import {
  CLEANUP_FINALIZER,
  CUSTOM_RESOURCE_DEFINITIONS,
  type Definition,
  isConditionTrue,
  judgeNames,
} from "../resources/custom/index.ts";
import { formatTime } from "../resources/metadata.ts";
import type { Registry } from "../resources/registry.ts";
import { prefixOf } from "../storage/key.ts";
import type { Storage, Stored } from "../storage/storage.ts";
import type { Controller } from "./loop.ts";

/** Objects with finalizers are checked again after this time. */
const LOOK_AGAIN_MS = 1_000;

interface Sources {
  readonly storage: Storage;
  readonly registry: Registry;
}

/** One key is one group: its definitions share their names. */
export function createDefinitions(sources: Sources): Controller {
  return {
    name: "definitions",
    user: { username: "system:apiserver", groups: ["system:masters"] },
    watches: [
      {
        resource: CUSTOM_RESOURCE_DEFINITIONS,
        keysOf: ({ object }) => [(object as Definition).spec.group ?? ""],
      },
    ],
    look: async (group, _client, nowMs) => ((await keepGroup(sources, group, nowMs)) ? LOOK_AGAIN_MS : undefined),
  };
}

/** True when objects remain that wait for other controllers. */
async function keepGroup(sources: Sources, group: string, nowMs: number): Promise<boolean> {
  const { storage } = sources;
  const { items } = storage.list({ prefix: prefixOf(CUSTOM_RESOURCE_DEFINITIONS) });
  let isWaiting = false;
  for (const stored of items.filter(({ object }) => (object as Definition).spec.group === group)) {
    if (isDeparting(stored)) isWaiting = !(await depart(sources, stored, nowMs)) || isWaiting;
    else await rename(storage, stored, nowMs);
  }
  return isWaiting;
}

function isDeparting({ object }: Stored): boolean {
  const { deletionTimestamp, finalizers = [] } = object.metadata;
  return deletionTimestamp !== undefined && finalizers.includes(CLEANUP_FINALIZER);
}

/** False while objects of the definition remain. */
async function depart(sources: Sources, stored: Stored, nowMs: number): Promise<boolean> {
  const { storage } = sources;
  const definition = stored.object as Definition;
  const prefix = prefixOf({ ...CUSTOM_RESOURCE_DEFINITIONS, ...placeOf(definition) });
  const isEmpty = !hasObjects(definition, prefix, sources) || (await removeAll(storage, prefix, nowMs));
  if (!isEmpty) return false;
  const finalizers = (definition.metadata.finalizers ?? []).filter((one) => one !== CLEANUP_FINALIZER);
  if (finalizers.length === 0) await storage.delete(stored.key, stored.revision);
  else {
    const metadata = { ...definition.metadata, finalizers };
    await storage.update(stored.key, { ...definition, metadata }, stored.revision);
  }
  return true;
}

function placeOf({ spec }: Definition) {
  return { group: spec.group ?? "", plural: spec.names?.plural ?? "" };
}

/** A definition whose names were not accepted has no objects: those under its names belong to another kind. */
function hasObjects(definition: Definition, prefix: string, { registry }: Sources): boolean {
  const kept = registry.keptUnder(prefix);
  const isBuiltIn = kept !== undefined && kept.custom === undefined;
  return isConditionTrue(definition, "Established") && !isBuiltIn;
}

/** False when objects remain because of finalizers. */
async function removeAll(storage: Storage, prefix: string, nowMs: number): Promise<boolean> {
  for (const { key, revision, object } of storage.list({ prefix }).items) {
    const { metadata } = object;
    if ((metadata.finalizers ?? []).length === 0) await storage.delete(key, revision);
    else if (metadata.deletionTimestamp === undefined) {
      const mark = { deletionTimestamp: formatTime(nowMs), deletionGracePeriodSeconds: 0 };
      await storage.update(key, { ...object, metadata: { ...metadata, ...mark } }, revision);
    }
  }
  return storage.list({ prefix, limit: 1 }).items.length === 0;
}

async function rename(storage: Storage, { key, revision, object }: Stored, nowMs: number): Promise<void> {
  const definition = object as Definition;
  if (isConditionTrue(definition, "NamesAccepted")) return;
  const all = storage
    .list({ prefix: prefixOf(CUSTOM_RESOURCE_DEFINITIONS) })
    .items.map((one) => one.object as Definition);
  const status = judgeNames(definition, all, nowMs);
  if (isSameJson(status, definition.status)) return;
  await storage.update(key, { ...definition, status } as Definition, revision);
}
