// JSON patch (RFC 6902) with JSON pointers (RFC 6901), and JSON merge patch (RFC 7396). The input is not changed: a
// container is copied when an operation first changes it and changed in place after that, so that an operation costs
// its path and not the document. A body that is not a patch is the fault `malformed` (400); an operation that does not
// fit the document is `invalid` (422).

import { isJsonObject, isSameJson, type Json, type JsonObject, MAX_JSON_DEPTH } from "../../../kernel/json/index.ts";
import { Fault } from "../../../kernel/outcome/index.ts";

/** The limit of kube-apiserver. */
const MAX_OPERATIONS = 10_000;
/** What `copy` may add in sum: a patch of a few hundred bytes could double a document again and again. */
const MAX_COPIED_BYTES = 3 * 1024 * 1024;
/**
 * List items that insertions and removals move, in sum. Ten thousand operations at the head of a list of forty thousand
 * would move four hundred million; this many take some tens of milliseconds. A real patch moves a few thousand.
 */
const MAX_SHIFTED_ITEMS = 20_000_000;

type WithValue<Op> = { readonly op: Op; readonly path: Pointer; readonly value: Json };
type WithSource<Op> = { readonly op: Op; readonly path: Pointer; readonly from: Pointer };

type Operation =
  | WithValue<"add">
  | WithValue<"replace">
  | WithValue<"test">
  | WithSource<"move">
  | WithSource<"copy">
  | { readonly op: "remove"; readonly path: Pointer };

type OwnObject = Record<string, Json>;

export function applyJsonPatch(document: Json, patch: Json): Json {
  const draft = new Draft(document);
  for (const operation of parseOperations(patch)) applyOne(draft, operation);
  return draft.root;
}

/** The document while it is patched, and the cost of the patch so far. */
class Draft {
  root: Json;
  /** Containers that belong to this draft alone. */
  readonly #own = new Set<Json>();
  #copiedBytes = 0;
  #shiftedItems = 0;

  constructor(document: Json) {
    this.root = document;
  }

  /** A copy: one value in two places would change in both. */
  copyOf(value: Json): Json {
    const text = JSON.stringify(value);
    this.#copiedBytes += text.length;
    if (this.#copiedBytes > MAX_COPIED_BYTES) {
      throw new Fault("limit-exceeded", `a JSON patch may copy ${MAX_COPIED_BYTES} bytes in sum`);
    }
    return JSON.parse(text) as Json;
  }

  /** The items after `index` move by one place. */
  shift(list: readonly Json[], index: number): void {
    this.#shiftedItems += list.length - index;
    if (this.#shiftedItems > MAX_SHIFTED_ITEMS) {
      throw new Fault("limit-exceeded", `a JSON patch may move ${MAX_SHIFTED_ITEMS} list items in sum`);
    }
  }

  /** The container that a pointer leads to, with a copy of every container on the way. */
  ownAt(pointer: Pointer): Json[] | OwnObject {
    let at = this.#owned(this.root);
    this.root = at;
    for (const token of pointer) {
      const inner = this.#owned(child(at, token));
      if (Array.isArray(at)) at[Number(token)] = inner;
      else at[token] = inner;
      at = inner;
    }
    return at;
  }

  #owned(value: Json): Json[] | OwnObject {
    if (typeof value !== "object" || value === null) throw unfit("a path leads through a value that is no container");
    if (this.#own.has(value)) return value as Json[] | OwnObject;
    const copy = Array.isArray(value) ? [...value] : { ...(value as JsonObject) };
    this.#own.add(copy);
    return copy;
  }
}

function parseOperations(patch: Json): readonly Operation[] {
  if (!Array.isArray(patch)) throw new Fault("malformed", "a JSON patch must be a list of operations");
  if (patch.length > MAX_OPERATIONS) {
    throw new Fault(
      "limit-exceeded",
      `The allowed maximum operations in a JSON patch is ${MAX_OPERATIONS}, got ${patch.length}`,
    );
  }
  return patch.map(parseOperation);
}

function parseOperation(value: Json): Operation {
  if (!isJsonObject(value)) throw new Fault("malformed", "a JSON patch operation must be an object");
  const { op, path, from, value: operand } = value as { op?: Json; path?: Json; from?: Json; value?: Json };
  const target = parsePointer(path);
  switch (op) {
    case "add":
    case "replace":
    case "test":
      if (operand === undefined) throw new Fault("malformed", `JSON patch operation "${op}" needs a value`);
      return { op, path: target, value: operand };
    case "remove":
      return { op, path: target };
    case "move":
    case "copy":
      return { op, path: target, from: parsePointer(from) };
    default:
      throw unfit("an operation must be add, remove, replace, move, copy or test");
  }
}

function applyOne(draft: Draft, operation: Operation): void {
  const { path } = operation;
  if (operation.op === "add") add(draft, path, operation.value);
  else if (operation.op === "replace") replace(draft, path, operation.value);
  else if (operation.op === "remove") remove(draft, path);
  else if (operation.op === "copy") add(draft, path, draft.copyOf(read(draft.root, operation.from)));
  else if (operation.op === "move") move(draft, operation);
  else if (!isSameJson(read(draft.root, path), operation.value)) throw unfit("a test operation failed");
}

function move(draft: Draft, { path, from }: { path: Pointer; from: Pointer }): void {
  const isInside = path.length > from.length && from.every((token, at) => token === path[at]);
  if (isInside) throw unfit("a value cannot be moved into itself");
  const value = read(draft.root, from);
  remove(draft, from);
  add(draft, path, value);
}

function unfit(why: string): Fault {
  return new Fault("invalid", `the server rejected our request due to an error in our request: ${why}`);
}

function read(document: Json, pointer: Pointer): Json {
  let value = document;
  for (const token of pointer) value = child(value, token);
  return value;
}

function child(parent: Json, token: string): Json {
  if (Array.isArray(parent)) return parent[indexOf(token, parent.length - 1)] as Json;
  const value = isJsonObject(parent) && Object.hasOwn(parent, token) ? parent[token] : undefined;
  if (value === undefined) throw unfit("a path does not exist");
  return value;
}

/** RFC 6901: digits without leading zeros. `max` is the largest index that fits. */
function indexOf(token: string, max: number): number {
  if (!/^(?:0|[1-9]\d{0,8})$/.test(token)) throw unfit("a list index is not a number");
  const index = Number(token);
  if (index > max) throw unfit("a list index is out of range");
  return index;
}

function add(draft: Draft, pointer: Pointer, value: Json): void {
  const token = pointer.at(-1);
  if (token === undefined) {
    draft.root = value;
    return;
  }
  const parent = draft.ownAt(pointer.slice(0, -1));
  if (!Array.isArray(parent)) {
    parent[token] = value;
    return;
  }
  const index = token === "-" ? parent.length : indexOf(token, parent.length);
  draft.shift(parent, index);
  parent.splice(index, 0, value);
}

function replace(draft: Draft, pointer: Pointer, value: Json): void {
  const token = pointer.at(-1);
  if (token === undefined) {
    draft.root = value;
    return;
  }
  const parent = draft.ownAt(pointer.slice(0, -1));
  child(parent, token);
  if (Array.isArray(parent)) parent[Number(token)] = value;
  else parent[token] = value;
}

function remove(draft: Draft, pointer: Pointer): void {
  const token = pointer.at(-1);
  if (token === undefined) throw unfit("the whole document cannot be removed");
  const parent = draft.ownAt(pointer.slice(0, -1));
  child(parent, token);
  if (Array.isArray(parent)) {
    draft.shift(parent, Number(token));
    parent.splice(Number(token), 1);
  } else delete parent[token];
}

// JSON pointers, RFC 6901: `/metadata/labels/a~1b`.

type Pointer = readonly string[];

export function parsePointer(text: Json | undefined): Pointer {
  if (typeof text !== "string" || (text !== "" && !text.startsWith("/"))) {
    throw new Fault("malformed", "a JSON patch path must be a JSON pointer");
  }
  if (text === "") return [];
  const tokens = text.slice(1).split("/").map(parseToken);
  if (tokens.length > MAX_JSON_DEPTH) throw new Fault("malformed", "a JSON patch path is too deep");
  return tokens;
}

/** The key `__proto__` is refused as in bodies; checkJson has the reason. */
function parseToken(token: string): string {
  if (/~(?![01])/.test(token)) throw new Fault("malformed", "a JSON patch path has a bad escape");
  const key = token.replaceAll("~1", "/").replaceAll("~0", "~");
  if (key === "__proto__") throw new Fault("malformed", 'a JSON patch path may not contain the key "__proto__"');
  return key;
}

// JSON merge patch, RFC 7396: objects merge, null removes, everything else replaces.

export function applyMergePatch(target: Json, patch: Json): Json {
  if (!isJsonObject(patch)) return patch;
  // A Map has no prototype that a key could reach.
  const merged = new Map<string, Json>(isJsonObject(target) ? Object.entries(target) : []);
  for (const [key, value] of Object.entries(patch)) {
    if (value === null) merged.delete(key);
    else merged.set(key, applyMergePatch(merged.get(key) ?? null, value));
  }
  return Object.fromEntries(merged);
}
