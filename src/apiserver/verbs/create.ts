// create: name it, let admission see it, prepare, validate, let admission see the result, store.

import type { KubeObject } from "../../api/meta/index.ts";
import { encodeHex } from "../../kernel/bytes/index.ts";
import { Fault, isFault } from "../../kernel/outcome/index.ts";
import type { Answer } from "../call.ts";
import { JSON_TYPE, readJsonBody } from "../entry/body.ts";
import { alreadyExists, failure, invalidObject, noUniqueName } from "../reply/status.ts";
import { metaForCreate, orderFields, validateMeta } from "../resources/metadata.ts";
import { checkNamespace, decodeObject } from "./decode.ts";
import { attemptOf, enforce, isDryRun, keyFor, type StoredCall } from "./stored-call.ts";

/** Letters and digits that form no words and cannot be mistaken for one another. */
const SUFFIX_ALPHABET = "bcdfghjklmnpqrstvwxz2456789";
const SUFFIX_LENGTH = 5;
const MAX_GENERATED_BASE = 58;
const MAX_NAME_TRIES = 8;

export async function create(stored: StoredCall): Promise<Answer> {
  const sent = decodeObject(await readJsonBody(stored.call.request, [JSON_TYPE]), stored.strategy);
  return { kind: "object", status: 201, object: await createObject(stored, sent) };
}

/** Also the way of a PUT that creates. */
export async function createObject(stored: StoredCall, sent: KubeObject): Promise<KubeObject> {
  if (stored.resource.namespaced) checkNamespace(sent.metadata.namespace ?? "", stored.namespace);
  if ((sent.metadata.resourceVersion ?? "") !== "") throw versionOnCreate();
  const { name = "", generateName = "" } = sent.metadata;
  if (name !== "" || generateName === "") return store(stored, withName(stored, sent, name));
  return storeGenerated(stored, sent, generateName);
}

async function storeGenerated(stored: StoredCall, sent: KubeObject, generateName: string): Promise<KubeObject> {
  for (let tries = 1; ; tries += 1) {
    const generated = `${generateName.slice(0, MAX_GENERATED_BASE)}${randomSuffix(stored)}`;
    try {
      return await store(stored, withName(stored, sent, generated));
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

async function store(stored: StoredCall, sent: KubeObject): Promise<KubeObject> {
  const { strategy, resource, parts, call } = stored;
  const name = sent.metadata.name ?? "";
  const first = attemptOf(stored, "CREATE", { name, object: sent });
  enforce(call.reviews.before(first), first);
  const nowMs = parts.clock.now();
  const metadata = metaForCreate(sent.metadata, { uid: randomUid(stored), nowMs });
  const next = orderFields(strategy.prepareCreate({ ...sent, metadata }, { user: call.user, nowMs }));
  const errors = [...validateMeta(next.metadata, resource, strategy.nameRule), ...strategy.validateCreate(next)];
  if (errors.length > 0) throw invalidObject(resource, name, errors);
  const second = attemptOf(stored, "CREATE", { name, object: next });
  enforce(call.reviews.after(second), second);
  return insert(stored, next);
}

async function insert(stored: StoredCall, next: KubeObject): Promise<KubeObject> {
  const name = next.metadata.name ?? "";
  const key = keyFor(stored, name);
  const existing = stored.parts.storage.get(key);
  const deleting = existing?.object.metadata.deletionTimestamp !== undefined;
  if (existing !== undefined) throw alreadyExists(stored.resource, name, { deleting });
  if (isDryRun(stored)) return next;
  try {
    return (await stored.parts.storage.create(key, next)).object;
  } catch (error) {
    if (isFault(error, "already-exists")) throw alreadyExists(stored.resource, name);
    throw error;
  }
}

function randomSuffix({ parts }: StoredCall): string {
  let suffix = "";
  while (suffix.length < SUFFIX_LENGTH) {
    const [byte = 0] = parts.random(1);
    // Bytes beyond the last whole multiple would make some letters likelier than others.
    if (byte < 256 - (256 % SUFFIX_ALPHABET.length)) suffix += SUFFIX_ALPHABET.charAt(byte % SUFFIX_ALPHABET.length);
  }
  return suffix;
}

/** UUID version 4. */
export function randomUid({ parts }: { readonly parts: { random(count: number): Uint8Array } }): string {
  const bytes = Uint8Array.from(parts.random(16));
  bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x40;
  bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80;
  return encodeHex(bytes).replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5");
}
