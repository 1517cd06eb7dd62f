// JSON patch, RFC 6902, with JSON pointers, RFC 6901. Pure: every operation makes a new document.
// A patch that is no patch is the fault `malformed` (400); an operation that does not fit the document is `invalid` (422).

import { Fault } from "../../../kernel/outcome/index.ts";
import { isJsonObject, type Json, type JsonObject } from "../../entry/json.ts";
import { isSameJson } from "../same-json.ts";
import { type Pointer, parsePointer } from "./json-pointer.ts";

/** The limit of kube-apiserver. */
const MAX_OPERATIONS = 10_000;
/** What `copy` may add in sum: a patch of a few hundred bytes could double a document again and again. */
const MAX_COPIED_BYTES = 3 * 1024 * 1024;
/**
 * Members of the containers on the way of all operations, each of which is written anew: ten thousand insertions at the head
 * of a list of four hundred thousand would keep the process busy for minutes. An honest patch moves a few thousand.
 */
const MAX_REWRITTEN_MEMBERS = 5_000_000;

type Operation =
  | { readonly op: "add" | "replace" | "test"; readonly path: Pointer; readonly value: Json }
  | { readonly op: "remove"; readonly path: Pointer }
  | { readonly op: "move" | "copy"; readonly path: Pointer; readonly from: Pointer };

export function applyJsonPatch(document: Json, patch: Json): Json {
  const operations = parseOperations(patch);
  let copied = 0;
  let rewritten = 0;
  let result = document;
  for (const operation of operations) {
    rewritten += membersOnTheWay(result, operation.path);
    if (rewritten > MAX_REWRITTEN_MEMBERS) throw new Fault("limit-exceeded", "the JSON patch rewrites too much");
    if (operation.op === "copy") {
      copied += JSON.stringify(read(result, operation.from)).length;
      if (copied > MAX_COPIED_BYTES) throw new Fault("limit-exceeded", "the JSON patch copies too much");
    }
    result = applyOne(result, operation);
  }
  return result;
}

function membersOnTheWay(document: Json, pointer: Pointer): number {
  let members = 0;
  let at: Json | undefined = document;
  for (const token of pointer) {
    if (Array.isArray(at)) {
      members += at.length;
      at = at[Number(token)] as Json | undefined;
    } else if (isJsonObject(at)) {
      members += Object.keys(at).length;
      at = Object.hasOwn(at, token) ? at[token] : undefined;
    } else break;
  }
  return members;
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

function applyOne(document: Json, operation: Operation): Json {
  switch (operation.op) {
    case "add":
      return write(document, operation.path, { kind: "add", value: operation.value });
    case "replace":
      return write(document, operation.path, { kind: "replace", value: operation.value });
    case "remove":
      return write(document, operation.path, { kind: "remove" });
    case "copy":
      return write(document, operation.path, { kind: "add", value: read(document, operation.from) });
    case "move":
      return move(document, operation);
    case "test":
      if (isSameJson(read(document, operation.path), operation.value)) return document;
      throw unfit("a test operation failed");
  }
}

function move(document: Json, { path, from }: { path: Pointer; from: Pointer }): Json {
  const isInside = path.length > from.length && from.every((token, at) => token === path[at]);
  if (isInside) throw unfit("a value cannot be moved into itself");
  const value = read(document, from);
  return write(write(document, from, { kind: "remove" }), path, { kind: "add", value });
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

type Edit = { readonly kind: "add" | "replace"; readonly value: Json } | { readonly kind: "remove" };

/** Copies the containers along the path and leaves the rest shared. The depth is that of the pointer, which is limited. */
function write(document: Json, pointer: Pointer, edit: Edit): Json {
  const [token, ...rest] = pointer;
  if (token === undefined) {
    if (edit.kind === "remove") throw unfit("the whole document cannot be removed");
    return edit.value;
  }
  if (Array.isArray(document)) return writeList(document, { token, rest }, edit);
  if (!isJsonObject(document)) throw unfit("a path leads through a value that is no container");
  return writeObject(document, { token, rest }, edit);
}

interface Step {
  readonly token: string;
  readonly rest: Pointer;
}

function writeObject(object: JsonObject, { token, rest }: Step, edit: Edit): Json {
  const entries = new Map<string, Json>(Object.entries(object));
  if (rest.length > 0) entries.set(token, write(child(object, token), rest, edit));
  else if (edit.kind === "add") entries.set(token, edit.value);
  else {
    child(object, token);
    if (edit.kind === "remove") entries.delete(token);
    else entries.set(token, edit.value);
  }
  return Object.fromEntries(entries);
}

function writeList(list: readonly Json[], { token, rest }: Step, edit: Edit): Json {
  const copy = [...list];
  if (rest.length === 0 && edit.kind === "add") {
    copy.splice(token === "-" ? list.length : indexOf(token, list.length), 0, edit.value);
    return copy;
  }
  const index = indexOf(token, list.length - 1);
  if (rest.length > 0) copy[index] = write(child(list, token), rest, edit);
  else if (edit.kind === "remove") copy.splice(index, 1);
  else copy[index] = edit.kind === "replace" ? edit.value : null;
  return copy;
}
