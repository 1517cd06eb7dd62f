// delete and deletecollection. An object with finalizers is only marked; it goes when the last finalizer does (update.ts).

import type { Namespace } from "../../api/core/index.ts";
import { type KubeObject, NAMESPACES, type Status } from "../../api/meta/index.ts";
import { isFault } from "../../kernel/outcome/index.ts";
import type { Answer, Parts } from "../call.ts";
import { JSON_TYPE, readJsonBody } from "../entry/body.ts";
import { conflict, notFound } from "../reply/status.ts";
import { formatTime } from "../resources/metadata.ts";
import { STRATEGIES } from "../resources/registry.ts";
import { prefixOf } from "../storage/key.ts";
import type { Stored } from "../storage/storage.ts";
import { type DeleteOptions, parseDeleteOptions } from "./delete-options.ts";
import { prefixFor } from "./read.ts";
import { selectionOf } from "./selection.ts";
import { attemptOf, enforce, isDryRun, keyFor, type StoredCall } from "./stored-call.ts";
import { isLostRace, MAX_WRITE_TRIES } from "./update.ts";

export async function remove(stored: StoredCall): Promise<Answer> {
  const options = await optionsOf(stored);
  const { name } = stored.call.info;
  const gone = await removeObject(stored, name, options);
  if (gone.isPending || stored.strategy.answersDeleteWithObject)
    return { kind: "object", status: 200, object: gone.object };
  return { kind: "document", status: 200, body: deletedStatus(stored, gone.object) };
}

export async function removeCollection(stored: StoredCall): Promise<Answer> {
  const options = await optionsOf(stored);
  const selection = selectionOf(stored);
  const page = stored.parts.storage.list({ prefix: prefixFor(stored) });
  const items: KubeObject[] = [];
  for (const { object } of page.items.filter((item) => selection.matches(item.object))) {
    const namespace = object.metadata.namespace ?? "";
    try {
      items.push((await removeObject({ ...stored, namespace }, object.metadata.name ?? "", options)).object);
    } catch (error) {
      // Somebody else deleted it in between, which is what was wanted.
      if (!isFault(error, "not-found")) throw error;
    }
  }
  return { kind: "list", items, meta: { resourceVersion: String(stored.parts.storage.revision()) } };
}

async function optionsOf(stored: StoredCall): Promise<DeleteOptions> {
  const options = parseDeleteOptions(await readJsonBody(stored.call.request, [JSON_TYPE]));
  return { ...options, isDryRun: options.isDryRun || isDryRun(stored) };
}

interface Gone {
  readonly object: KubeObject;
  /** Marked, but still there because of its finalizers. */
  readonly isPending: boolean;
}

async function removeObject(stored: StoredCall, name: string, options: DeleteOptions): Promise<Gone> {
  const { resource, parts, call } = stored;
  for (let tries = 1; ; tries += 1) {
    const current = parts.storage.get(keyFor(stored, name));
    if (current === undefined) throw notFound(resource, name);
    checkPreconditions(stored, current, options);
    const attempt = attemptOf(stored, "DELETE", { name, current: current.object });
    enforce(call.reviews.before(attempt) ?? call.reviews.after(attempt), attempt);
    try {
      return await take(stored, current, options.isDryRun);
    } catch (error) {
      if (!isLostRace(error)) throw error;
      if (tries === MAX_WRITE_TRIES) throw conflict(resource, name);
    }
  }
}

function checkPreconditions({ resource }: StoredCall, current: Stored, options: DeleteOptions): void {
  const { name = "", uid = "" } = current.object.metadata;
  if (options.uid !== "" && options.uid !== uid) {
    const why = `Precondition failed: UID in precondition: ${options.uid}, UID in object meta: ${uid}`;
    throw conflict(resource, name, why);
  }
  if (options.resourceVersion !== "" && options.resourceVersion !== String(current.revision)) {
    const versions = `${options.resourceVersion}, ResourceVersion in object meta: ${current.revision}`;
    throw conflict(resource, name, `Precondition failed: ResourceVersion in precondition: ${versions}`);
  }
}

async function take(stored: StoredCall, current: Stored, isDry: boolean): Promise<Gone> {
  const { storage, clock } = stored.parts;
  const { object } = current;
  if ((object.metadata.finalizers ?? []).length > 0) {
    if (object.metadata.deletionTimestamp !== undefined || isDry) return { object, isPending: true };
    const marked = markDeleted(object, clock.now());
    return { object: (await storage.update(current.key, marked, current.revision)).object, isPending: true };
  }
  if (isDry) return { object, isPending: false };
  if (stored.resource === NAMESPACES) return { object: await takeNamespace(stored.parts, current), isPending: false };
  return { object: (await storage.delete(current.key, current.revision)).object, isPending: false };
}

function markDeleted(object: KubeObject, nowMs: number): KubeObject {
  const { metadata } = object;
  const generation = metadata.generation === undefined ? {} : { generation: metadata.generation + 1 };
  const mark = { deletionTimestamp: formatTime(nowMs), deletionGracePeriodSeconds: 0 };
  return { ...object, metadata: { ...metadata, ...generation, ...mark } };
}

/**
 * Closed first, then emptied, then removed.
 * differs from upstream: a controller does this there, later; here the answer comes when it is done, and finalizers of the
 * contents are not waited for.
 */
async function takeNamespace({ storage, clock }: Parts, current: Stored): Promise<KubeObject> {
  const namespace: Namespace = { ...markDeleted(current.object, clock.now()), status: { phase: "Terminating" } };
  const closed = await storage.update(current.key, namespace, current.revision);
  for (const { resource } of STRATEGIES.filter((strategy) => strategy.resource.namespaced)) {
    const prefix = prefixOf(resource, namespace.metadata.name);
    for (const { key, revision } of storage.list({ prefix }).items) await storage.delete(key, revision);
  }
  await storage.delete(closed.key, closed.revision);
  return closed.object;
}

function deletedStatus({ resource }: StoredCall, { metadata }: KubeObject): Status {
  const { name, uid } = metadata;
  const details = {
    ...(name === undefined ? {} : { name }),
    ...(resource.group === "" ? {} : { group: resource.group }),
    kind: resource.plural,
    ...(uid === undefined ? {} : { uid }),
  };
  return { kind: "Status", apiVersion: "v1", metadata: {}, status: "Success", details };
}
