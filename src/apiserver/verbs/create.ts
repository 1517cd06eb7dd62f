// create: name it, let admission see it, prepare, validate, let admission see the result, store.

import type { KubeObject } from "../../api/meta/index.ts";
import { checkJson, type Json } from "../../kernel/json/index.ts";
import { Fault, isFault } from "../../kernel/outcome/index.ts";
import { verifySignature } from "../../platform/keys/index.ts";
import type { Answer } from "../call.ts";
import { readBody } from "../entry/body.ts";
import { heavyTurn } from "../limits/lane.ts";
import { randomSuffix, randomUid } from "../random.ts";
import type { FieldError } from "../resources/field-error.ts";
import { metaForCreate, orderFields, validateMeta } from "../resources/metadata.ts";
import type { Proof } from "../resources/strategy.ts";
import { alreadyExists, failure, invalidObject, noUniqueName } from "../status/status.ts";
import type { Content } from "../storage/storage.ts";
import { checkNamespace, decodeBody } from "./decode.ts";
import { type Owners, ownedByCreator } from "./field-manager.ts";
import { inTurn } from "./lost-races.ts";
import { attemptOf, enforce, isDryRun, keptAs, keyFor, type StoredCall, writeFacts } from "./stored-call.ts";
import { writeOptions } from "./write-options.ts";

const MAX_GENERATED_BASE = 58;
const MAX_NAME_TRIES = 8;

export async function create(stored: StoredCall): Promise<Answer> {
  const { call, resource, strategy } = stored;
  const { manager, fieldValidation } = writeOptions(call, "CreateOptions");
  const body = await readBody(call.request, resource);
  await heavyTurn(stored);
  const sent = decodeBody(body, strategy, { call, how: fieldValidation });
  return { kind: "object", status: 201, content: await createObject(stored, sent, { manager }) };
}

/** Also used by a PUT and by an apply that create. */
export async function createObject(stored: StoredCall, sent: KubeObject, owners: Owners): Promise<Content> {
  if (stored.resource.namespaced) checkNamespace(sent.metadata.namespace ?? "", stored.namespace);
  if ((sent.metadata.resourceVersion ?? "") !== "") throw versionOnCreate();
  const { name = "", generateName = "" } = sent.metadata;
  if (name !== "" || generateName === "") return store(stored, withName(stored, sent, name), owners);
  return storeGenerated(stored, sent, owners);
}

async function storeGenerated(stored: StoredCall, sent: KubeObject, owners: Owners): Promise<Content> {
  const { generateName = "" } = sent.metadata;
  for (let tries = 1; ; tries += 1) {
    const generated = `${generateName.slice(0, MAX_GENERATED_BASE)}${randomSuffix(stored.parts)}`;
    try {
      return await store(stored, withName(stored, sent, generated), owners);
    } catch (error) {
      if (!isFault(error, "already-exists")) throw error;
      if (tries === MAX_NAME_TRIES) throw noUniqueName(stored.resource, generated);
    }
  }
}

function versionOnCreate(): Fault {
  const message = "resourceVersion should not be set on objects to be created";
  return new Fault("malformed", message, { cause: failure({ code: 500, reason: "", message }) });
}

/** A namespace on a cluster-scoped object is dropped, as it is by every API server. */
function withName(stored: StoredCall, sent: KubeObject, name: string): KubeObject {
  const { namespace: _sent, ...metadata } = sent.metadata;
  const namespace = stored.namespace === "" ? {} : { namespace: stored.namespace };
  return { ...sent, metadata: { ...metadata, ...(name === "" ? {} : { name }), ...namespace } };
}

function store(stored: StoredCall, sent: KubeObject, owners: Owners): Promise<Content> {
  return inTurn(stored, () => storeNow(stored, sent, owners));
}

async function storeNow(stored: StoredCall, sent: KubeObject, owners: Owners): Promise<Content> {
  const { strategy, resource, call } = stored;
  const name = sent.metadata.name ?? "";
  await heavyTurn(stored);
  const first = call.reviews.change(attemptOf(stored, "CREATE", { name, object: sent }));
  enforce(call.reviews.before(first), first);
  const facts = writeFacts(stored);
  const { object = sent } = first;
  const metadata = metaForCreate(object.metadata, { uid: randomUid(stored.parts), nowMs: facts.nowMs });
  const next = orderFields(strategy.prepareCreate({ ...object, metadata }, facts));
  const unproved = strategy.proof === undefined ? [] : await proofErrors(strategy.proof, next);
  const inMeta = validateMeta(next.metadata, resource, strategy.nameRule);
  const errors = [...inMeta, ...unproved, ...strategy.validateCreate(next)];
  const wrong = errors.length > 0 ? errors : strategy.conflicts(next, facts);
  if (wrong.length > 0) throw invalidObject(keptAs(strategy), name, wrong);
  await heavyTurn(stored);
  const second = attemptOf(stored, "CREATE", { name, object: next });
  enforce(call.reviews.after(second), second);
  call.warnings.push(...(strategy.warnings?.(next, undefined) ?? []));
  return insert(stored, ownedByCreator(stored, { owners, sent, next }));
}

/**
 * What a new object must prove by a signature that it carries. Verified here and not in the kind's own rules, which are
 * synchronous: the main thread serves other requests while a second thread computes.
 */
export async function proofErrors(proof: Proof, next: KubeObject): Promise<readonly FieldError[]> {
  const carried = proof.signed(next);
  if (carried === undefined) return [];
  return (await verifySignature(carried.key, carried.signed)) ? [] : [proof.refuse(next)];
}

async function insert(stored: StoredCall, next: KubeObject): Promise<Content> {
  const name = next.metadata.name ?? "";
  const key = keyFor(stored, name);
  const existing = stored.parts.storage.get(key);
  const deleting = existing?.object.metadata.deletionTimestamp !== undefined;
  if (existing !== undefined) throw alreadyExists(stored.resource, name, { deleting });
  if (await heavyTurn(stored)) checkJson(next as unknown as Json);
  if (isDryRun(stored)) return { object: next };
  try {
    return await stored.parts.storage.create(key, next);
  } catch (error) {
    if (isFault(error, "already-exists")) throw alreadyExists(stored.resource, name);
    throw error;
  }
}
