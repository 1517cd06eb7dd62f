// Which objects a list, watch or deletecollection covers: label selector, field selector, and the name in an old-style
// watch path.

import { createMatcher, type KubeObject, parseFieldSelector, parseLabelSelector } from "../../api/meta/index.ts";
import { isFault } from "../../kernel/outcome/index.ts";
import type { Strategy } from "../resources/strategy.ts";
import { badRequest } from "../status/status.ts";
import { EVERYTHING } from "../watching/events.ts";
import type { StoredCall } from "./stored-call.ts";

export interface Selection {
  /** True when nothing is left out, so that counts of storage are counts of the answer. */
  readonly isEverything: boolean;
  matches(object: KubeObject): boolean;
}

export function selectionOf({ call, strategy }: StoredCall): Selection {
  const labels = orBadRequest(parseLabelSelector, call.query.first("labelSelector"));
  const fields = orBadRequest(parseFieldSelector, call.query.first("fieldSelector"));
  const known = new Set(Object.keys(fieldsOf(strategy, EMPTY)));
  const unknown = fields.find((one) => !known.has(one.field));
  if (unknown !== undefined) throw badRequest(unknownText(strategy, unknown.field));
  const { name } = call.info;
  if (labels.length === 0 && fields.length === 0 && name === "") return { isEverything: true, matches: EVERYTHING };
  const isSelected = createMatcher({ labels, fields, fieldOf: (object, field) => fieldOf(strategy, object, field) });
  return {
    isEverything: false,
    matches: (object) => (name === "" || object.metadata.name === name) && isSelected(object),
  };
}

function orBadRequest<T>(parse: (text: string) => readonly T[], text = ""): readonly T[] {
  try {
    return parse(text);
  } catch (error) {
    if (isFault(error)) throw badRequest(error.message);
    throw error;
  }
}

function fieldOf(strategy: Strategy, object: KubeObject, field: string): string {
  const fields = fieldsOf(strategy, object);
  return Object.hasOwn(fields, field) ? (fields[field] ?? "") : "";
}

/** Enough of an object to find out which fields a kind offers. */
const EMPTY = { apiVersion: "", kind: "", metadata: {}, spec: {}, involvedObject: {} } as KubeObject;

function fieldsOf(strategy: Strategy, object: KubeObject): Readonly<Record<string, string>> {
  const { name = "", namespace = "" } = object.metadata;
  const own = strategy.selectableFields(object);
  const hasPlace = strategy.resource.namespaced || isPlain(strategy, own);
  return { "metadata.name": name, ...(hasPlace ? { "metadata.namespace": namespace } : {}), ...own };
}

/** A built-in kind without fields of its own offers both of the usual ones, even where nothing has a namespace. */
function isPlain({ custom }: Strategy, own: Readonly<Record<string, string>>): boolean {
  return custom === undefined && Object.keys(own).length === 0;
}

function unknownText(strategy: Strategy, field: string): string {
  if (!isPlain(strategy, strategy.selectableFields(EMPTY))) return `field label not supported: ${field}`;
  return `${JSON.stringify(field)} is not a known field selector: only "metadata.name", "metadata.namespace"`;
}
