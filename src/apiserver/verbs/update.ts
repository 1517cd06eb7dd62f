// update (PUT) and the core that patch shares: take what the client sent, keep what this endpoint may not change,
// validate, admit, compare and swap.

import type { KubeObject } from "../../api/meta/index.ts";
import { checkJson, type Json } from "../../kernel/json/index.ts";
import { attributesOf, refusalOf } from "../authorization/stage.ts";
import type { Answer } from "../call.ts";
import { readBody } from "../entry/body.ts";
import { heavyTurn } from "../limits/lane.ts";
import { invalid } from "../resources/field-error.ts";
import { metaForUpdate, orderFields, validateMetaUpdate } from "../resources/metadata.ts";
import type { Strategy } from "../resources/strategy.ts";
import { conflict, invalidObject, notFound } from "../status/status.ts";
import type { Content, Stored } from "../storage/storage.ts";
import { createObject } from "./create.ts";
import { checkPlace, decodeBody } from "./decode.ts";
import { isSameButForTimes, type Owners, ownedByWriter } from "./field-manager.ts";
import { inTurn, isLostRace, writeUntilWon } from "./lost-races.ts";
import {
  attemptOf,
  enforce,
  isDryRun,
  keptAs,
  keyFor,
  type StoredCall,
  updateRules,
  writeFacts,
} from "./stored-call.ts";
import { writeOptions } from "./write-options.ts";

export async function update(stored: StoredCall): Promise<Answer> {
  const { call, namespace } = stored;
  const { name } = call.info;
  const { manager, fieldValidation } = writeOptions(call, "UpdateOptions");
  const body = await readBody(call.request, stored.resource);
  await heavyTurn(stored);
  const sent = decodeBody(body, stored.strategy, { call, how: fieldValidation });
  checkPlace(sent, { name, namespace });
  const isConditional = (sent.metadata.resourceVersion ?? "") !== "";
  return writeUntilWon(
    stored,
    async (): Promise<Answer> => {
      const current = stored.parts.storage.get(keyFor(stored, name));
      if (current === undefined) return createInstead(stored, sent, { manager });
      checkPreconditions(stored, sent, current);
      return { kind: "object", status: 200, content: await replace(stored, current, { sent, owners: { manager } }) };
    },
    (error) => !isConditional && isLostRace(error),
  );
}

/** PUT of a missing object: kinds that allow it need the right to create as well. */
async function createInstead(stored: StoredCall, sent: KubeObject, owners: Owners): Promise<Answer> {
  const { strategy, subresource, resource, call } = stored;
  const { name } = call.info;
  if (!strategy.createsOnUpdate || subresource !== undefined) throw notFound(resource, name);
  checkMayCreate(stored);
  const { resourceVersion: _version, ...metadata } = sent.metadata;
  const content = await createObject(stored, { ...sent, metadata: { ...metadata, name } }, owners);
  return { kind: "object", status: 201, content };
}

/** The request was authorized as an update or patch; to create is another right. */
export function checkMayCreate({ call, parts }: StoredCall): void {
  const asked = { ...attributesOf(call), verb: "create" };
  const decision = parts.authorizer.authorize(asked);
  if (decision.kind !== "Allow") throw refusalOf(asked, decision, call.info);
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

interface Replacement {
  readonly sent: KubeObject;
  readonly owners: Owners;
}

/** One attempt. A lost race comes back as storage's fault `conflict` or `not-found`. */
export function replace(stored: StoredCall, current: Stored, by: Replacement): Promise<Content> {
  return inTurn(stored, () => replaceNow(stored, current, by));
}

async function replaceNow(stored: StoredCall, current: Stored, { sent, owners }: Replacement): Promise<Content> {
  const { call } = stored;
  const { name } = call.info;
  await heavyTurn(stored, current);
  const place = stored.namespace === "" ? { name } : { name, namespace: stored.namespace };
  const metadata = metaForUpdate({ ...sent.metadata, ...place }, current.object.metadata);
  const objects = { name, current: current.object };
  const asked = { ...sent, metadata };
  const first = call.reviews.change(attemptOf(stored, "UPDATE", { ...objects, object: asked }));
  enforce(call.reviews.before(first), first);
  const rules = updateRules(stored);
  const facts = writeFacts(stored);
  const next = orderFields(rules.prepareUpdate(first.object ?? asked, current.object, facts));
  const errors = [
    ...validateMetaUpdate(next.metadata, current.object.metadata),
    ...rules.validateUpdate(next, current.object),
  ];
  const wrong = errors.length > 0 || stored.subresource !== undefined ? errors : stored.strategy.conflicts(next, facts);
  if (wrong.length > 0) throw invalidObject(keptAs(stored.strategy), name, wrong);
  await heavyTurn(stored, current);
  const second = attemptOf(stored, "UPDATE", { ...objects, object: next });
  enforce(call.reviews.after(second), second);
  call.warnings.push(...(stored.strategy.warnings?.(next, current.object) ?? []));
  return swap(stored, ownedByWriter(stored, { owners, sent, current: current.object, next }), current);
}

/** Something must still happen before the object is removed: the work of a finalizer, or what its kind waits for. */
export function isHeld(strategy: Strategy, object: KubeObject): boolean {
  return (object.metadata.finalizers ?? []).length > 0 || strategy.isHeld?.(object) === true;
}

/** Deleted, held by nothing, and its grace period has ended; a pod with grace left stays for its kubelet. */
function hasEnded(strategy: Strategy, object: KubeObject): boolean {
  const { deletionTimestamp, deletionGracePeriodSeconds = 0 } = object.metadata;
  return deletionTimestamp !== undefined && deletionGracePeriodSeconds === 0 && !isHeld(strategy, object);
}

/**
 * A write that changes nothing keeps the resourceVersion; removing the last finalizer of a deleted object removes the
 * object.
 */
async function swap(stored: StoredCall, next: KubeObject, current: Stored): Promise<Content> {
  const { storage } = stored.parts;
  const isOver = hasEnded(stored.strategy, next);
  // The limits of a body hold for what is stored, owners of fields included: a client can then send it back whole.
  if (await heavyTurn(stored, current)) checkJson(next as unknown as Json);
  if (isDryRun(stored)) return { object: next };
  if (isOver) {
    await storage.delete(current.key, current.revision);
    return { object: next };
  }
  if (isSameButForTimes(next, current.object)) return current;
  return storage.update(current.key, next, current.revision);
}
