// update (PUT) and the core that patch shares: take what the client sent, keep what this endpoint may not change, validate,
// admit, compare and swap.

import type { KubeObject } from "../../api/meta/index.ts";
import { isFault } from "../../kernel/outcome/index.ts";
import { attributesOf, refusalOf } from "../authorization/stage.ts";
import type { Answer } from "../call.ts";
import { JSON_TYPE, readJsonBody } from "../entry/body.ts";
import { conflict, invalidObject, notFound } from "../reply/status.ts";
import { invalid } from "../resources/field-error.ts";
import { metaForUpdate, orderFields, validateMetaUpdate } from "../resources/metadata.ts";
import type { Stored } from "../storage/storage.ts";
import { createObject } from "./create.ts";
import { checkPlace, decodeObject } from "./decode.ts";
import { isSameJson } from "./same-json.ts";
import { attemptOf, enforce, isDryRun, keyFor, type StoredCall, updateRules } from "./stored-call.ts";

/** Lost races before the client is told; each means that somebody else's write came through. */
export const MAX_WRITE_TRIES = 10;

export async function update(stored: StoredCall): Promise<Answer> {
  const { call, namespace } = stored;
  const { name } = call.info;
  const sent = decodeObject(await readJsonBody(call.request, [JSON_TYPE]), stored.strategy);
  checkPlace(sent, { name, namespace });
  const isConditional = (sent.metadata.resourceVersion ?? "") !== "";
  for (let tries = 1; ; tries += 1) {
    const current = stored.parts.storage.get(keyFor(stored, name));
    if (current === undefined) return createInstead(stored, sent);
    checkPreconditions(stored, sent, current);
    try {
      return { kind: "object", status: 200, object: await replace(stored, sent, current) };
    } catch (error) {
      if (!isLostRace(error) || isConditional || tries === MAX_WRITE_TRIES) throw told(error, stored);
    }
  }
}

/** Storage's own refusals carry no Status yet: another writer came first. */
export function isLostRace(error: unknown): boolean {
  return (isFault(error, "conflict") || isFault(error, "not-found")) && error.cause === undefined;
}

export function told(error: unknown, { resource, call }: StoredCall): unknown {
  if (!isLostRace(error)) return error;
  return isFault(error, "conflict") ? conflict(resource, call.info.name) : notFound(resource, call.info.name);
}

/** PUT of a missing object: kinds that allow it need the right to create as well. */
async function createInstead(stored: StoredCall, sent: KubeObject): Promise<Answer> {
  const { strategy, subresource, resource, call, parts } = stored;
  const { name } = call.info;
  if (!strategy.createsOnUpdate || subresource !== undefined) throw notFound(resource, name);
  const asked = { ...attributesOf(call), verb: "create" };
  const decision = parts.authorizer.authorize(asked);
  if (decision.kind !== "Allow") throw refusalOf(asked, decision, call.info);
  const { resourceVersion: _version, ...metadata } = sent.metadata;
  const object = await createObject(stored, { ...sent, metadata: { ...metadata, name } });
  return { kind: "object", status: 201, object };
}

function checkPreconditions(stored: StoredCall, sent: KubeObject, current: Stored): void {
  const { resource, strategy, call } = stored;
  const { uid = "", resourceVersion = "" } = sent.metadata;
  const actual = current.object.metadata.uid ?? "";
  if (uid !== "" && uid !== actual) {
    const why = `Precondition failed: UID in precondition: ${uid}, UID in object meta: ${actual}`;
    throw conflict(resource, call.info.name, why);
  }
  if (resourceVersion === "" && !strategy.updatesUnconditionally) {
    // This one refusal names the resource where others name the kind.
    const named = { ...resource, kind: resource.plural };
    const error = invalid("metadata.resourceVersion", 0, "must be specified for an update");
    throw invalidObject(named, call.info.name, [error]);
  }
  if (resourceVersion !== "" && resourceVersion !== String(current.revision)) throw conflict(resource, call.info.name);
}

/** One attempt. A lost race comes back as storage's fault `conflict` or `not-found`. */
export async function replace(stored: StoredCall, sent: KubeObject, current: Stored): Promise<KubeObject> {
  const { resource, call, parts } = stored;
  const { name } = call.info;
  const place = stored.namespace === "" ? { name } : { name, namespace: stored.namespace };
  const metadata = metaForUpdate({ ...sent.metadata, ...place }, current.object.metadata);
  const objects = { name, current: current.object };
  const first = attemptOf(stored, "UPDATE", { ...objects, object: { ...sent, metadata } });
  enforce(call.reviews.before(first), first);
  const rules = updateRules(stored);
  const facts = { user: call.user, nowMs: parts.clock.now() };
  const next = orderFields(rules.prepareUpdate({ ...sent, metadata }, current.object, facts));
  const errors = [
    ...validateMetaUpdate(next.metadata, current.object.metadata),
    ...rules.validateUpdate(next, current.object),
  ];
  if (errors.length > 0) throw invalidObject(resource, name, errors);
  const second = attemptOf(stored, "UPDATE", { ...objects, object: next });
  enforce(call.reviews.after(second), second);
  return swap(stored, next, current);
}

/** A write that changes nothing keeps the resourceVersion; the last finalizer of a deleted object takes it away. */
async function swap(stored: StoredCall, next: KubeObject, current: Stored): Promise<KubeObject> {
  const { storage } = stored.parts;
  const isOver = next.metadata.deletionTimestamp !== undefined && (next.metadata.finalizers ?? []).length === 0;
  if (isDryRun(stored)) return next;
  if (isOver) {
    await storage.delete(current.key, current.revision);
    return next;
  }
  if (isSameJson(next, current.object)) return current.object;
  return (await storage.update(current.key, next, current.revision)).object;
}
