// delete and deletecollection. An object with finalizers is only marked; it is removed with its last finalizer
// (update.ts). A pod that runs on a node is marked as well: its kubelet ends it and deletes it again, without grace.

import type { KubeObject, ObjectMeta, Status } from "../../api/meta/index.ts";
import { isSameJson } from "../../kernel/json/index.ts";
import { isFault } from "../../kernel/outcome/index.ts";
import type { Answer } from "../call.ts";
import { readBody } from "../entry/body.ts";
import { formatTime } from "../resources/metadata.ts";
import { conflict, notFound } from "../status/status.ts";
import type { Content, Stored } from "../storage/storage.ts";
import { DELETE_OPTIONS, type DeleteOptions, type Propagation, parseDeleteOptions } from "./delete-options.ts";
import { isLostRace, MAX_WRITE_TRIES } from "./lost-races.ts";
import { prefixFor } from "./read.ts";
import { selectionOf } from "./selection.ts";
import { attemptOf, enforce, isDryRun, keyFor, type StoredCall } from "./stored-call.ts";
import { isHeld } from "./update.ts";

export async function remove(stored: StoredCall): Promise<Answer> {
  const options = await optionsOf(stored);
  const { name } = stored.call.info;
  const gone = await removeObject(stored, name, options);
  if (gone.isPending || stored.strategy.answersDeleteWithObject)
    return { kind: "object", status: 200, content: gone.content };
  return { kind: "document", status: 200, body: deletedStatus(stored, gone.content.object) };
}

export async function removeCollection(stored: StoredCall): Promise<Answer> {
  const options = await optionsOf(stored);
  const selection = selectionOf(stored);
  const page = stored.parts.storage.list({ prefix: prefixFor(stored) });
  const items: Content[] = [];
  for (const { object } of page.items.filter((item) => selection.matches(item.object))) {
    const namespace = object.metadata.namespace ?? "";
    try {
      items.push((await removeObject({ ...stored, namespace }, object.metadata.name ?? "", options)).content);
    } catch (error) {
      // Another client deleted it in between, which is the wanted result.
      if (!isFault(error, "not-found")) throw error;
    }
  }
  return { kind: "list", items, meta: { resourceVersion: String(stored.parts.storage.revision()) } };
}

async function optionsOf(stored: StoredCall): Promise<DeleteOptions> {
  const options = parseDeleteOptions(await readBody(stored.call.request, DELETE_OPTIONS));
  return { ...options, isDryRun: options.isDryRun || isDryRun(stored) };
}

interface Gone {
  readonly content: Content;
  /** Marked and still stored: a finalizer holds it, or it was given time to end. */
  readonly isPending: boolean;
}

export async function removeObject(stored: StoredCall, name: string, options: DeleteOptions): Promise<Gone> {
  const { resource, parts, call } = stored;
  for (let tries = 1; ; tries += 1) {
    const current = parts.storage.get(keyFor(stored, name));
    if (current === undefined) throw notFound(resource, name);
    checkPreconditions(stored, current, options);
    const attempt = attemptOf(stored, "DELETE", { name, current: current.object });
    enforce(call.reviews.before(attempt) ?? call.reviews.after(attempt), attempt);
    try {
      return await take(stored, current, options);
    } catch (error) {
      if (!isLostRace(error)) throw error;
      if (tries === MAX_WRITE_TRIES) throw conflict(resource, name);
    }
  }
}

function checkPreconditions({ resource }: StoredCall, current: Stored, options: DeleteOptions): void {
  const { name = "", uid = "" } = current.object.metadata;
  // These refusals name the kind where others name the resource.
  const named = { ...resource, plural: resource.kind };
  if (options.uid !== "" && options.uid !== uid) {
    const why = `the UID in the precondition (${options.uid}) does not match the UID in record (${uid})`;
    throw conflict(named, name, `${why}. The object might have been deleted and then recreated`);
  }
  if (options.resourceVersion !== "" && options.resourceVersion !== String(current.revision)) {
    const versions = `(${options.resourceVersion}) does not match the ResourceVersion in record (${current.revision})`;
    throw conflict(
      named,
      name,
      `the ResourceVersion in the precondition ${versions}. The object might have been modified`,
    );
  }
}

async function take(stored: StoredCall, current: Stored, options: DeleteOptions): Promise<Gone> {
  const { storage, clock } = stored.parts;
  const object = waiting(stored, current.object, options);
  const seconds = graceOf(stored, object, options.gracePeriodSeconds);
  if (seconds > 0 || isHeld(stored.strategy, object)) {
    const isNews = object !== current.object || isShorter(object.metadata, seconds);
    if (options.isDryRun || !isNews) return { content: { object }, isPending: true };
    const marked = markDeleted(object, clock.now(), seconds);
    return { content: await storage.update(current.key, marked, current.revision), isPending: true };
  }
  if (options.isDryRun) return { content: { object }, isPending: false };
  const last = await ended(stored, current);
  return { content: await storage.delete(last.key, last.revision), isPending: false };
}

/** A kind with a grace period shows in its last state that the period has ended. */
async function ended({ strategy, parts }: StoredCall, current: Stored): Promise<Stored> {
  if (strategy.graceSeconds === undefined) return current;
  return parts.storage.update(current.key, markDeleted(current.object, parts.clock.now(), 0), current.revision);
}

/** The object while it waits for its kind's own condition, from the first request on, and for its dependents. */
function waiting({ strategy, parts }: StoredCall, current: KubeObject, { propagation }: DeleteOptions): KubeObject {
  const isFirst = current.metadata.deletionTimestamp === undefined;
  const object = isFirst ? (strategy.prepareDelete?.(current, parts.clock.now()) ?? current) : current;
  const { finalizers = [] } = object.metadata;
  const wanted = collected(finalizers, propagation);
  return isSameJson(wanted, finalizers) ? object : { ...object, metadata: { ...object.metadata, finalizers: wanted } };
}

/** The finalizers tell the garbage collector what to do first (controllers/garbage). */
const BY_POLICY: Readonly<Record<Propagation, readonly string[]>> = {
  Foreground: ["foregroundDeletion"],
  Orphan: ["orphan"],
  Background: [],
};

function collected(finalizers: readonly string[], propagation: Propagation | undefined): string[] {
  if (propagation === undefined) return [...finalizers];
  const others = finalizers.filter((one) => !Object.values(BY_POLICY).flat().includes(one));
  return [...others, ...BY_POLICY[propagation]];
}

/** The kind decides on the first request; a later one can only shorten the grace period. */
function graceOf({ strategy }: StoredCall, object: KubeObject, asked: number | undefined): number {
  const { deletionTimestamp, deletionGracePeriodSeconds = 0 } = object.metadata;
  if (deletionTimestamp !== undefined) return asked ?? deletionGracePeriodSeconds;
  return strategy.graceSeconds?.(object, asked) ?? 0;
}

function isShorter({ deletionTimestamp, deletionGracePeriodSeconds = 0 }: ObjectMeta, seconds: number): boolean {
  return deletionTimestamp === undefined || seconds < deletionGracePeriodSeconds;
}

/** The time of deletion is the end of the grace period, counted from the first request. */
function markDeleted(object: KubeObject, nowMs: number, seconds: number): KubeObject {
  const { deletionTimestamp, deletionGracePeriodSeconds = 0, generation, ...rest } = object.metadata;
  const askedMs =
    deletionTimestamp === undefined ? nowMs : Date.parse(deletionTimestamp) - deletionGracePeriodSeconds * 1000;
  const mark = { deletionTimestamp: formatTime(askedMs + seconds * 1000), deletionGracePeriodSeconds: seconds };
  const isFirst = deletionTimestamp === undefined;
  const counted = generation === undefined ? {} : { generation: isFirst ? generation + 1 : generation };
  return { ...object, metadata: { ...rest, ...counted, ...mark } };
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
