// What an endpoint does not take from a client, and what the server adds by itself: neither makes the writer its owner.
// Facts of the strategies in pkg/registry (GetResetFields) and of what they and admission fill in.

import { isJsonObject, type Json, type JsonObject } from "../../kernel/json/index.ts";
import { type ListSchema, memberOf, type Schema } from "../schema/schema.ts";
import { type FieldSet, fieldSet, isEmpty, MEMBER, NO_FIELDS, setOf, unionOf } from "./field-set.ts";
import { isAtomic } from "./fields-of.ts";
import { fieldElement, itemElement, type PathElement } from "./path-element.ts";

/** `<plural>` or `<plural>/<subresource>` -> fields that keep their stored value whatever is sent. */
const RESET: Readonly<Record<string, FieldSet>> = {
  certificatesigningrequests: fields("spec", "status"),
  "certificatesigningrequests/approval": fields("spec", "status.certificate"),
  "certificatesigningrequests/status": fields("spec", "status.conditions"),
  "pods/status": fields("spec", "metadata.deletionTimestamp", "metadata.ownerReferences"),
};
const RESET_BY_STATUS = fields("spec");
const RESET_BESIDE_STATUS = fields("status");

/** `<plural>` -> fields that the server fills in when the client leaves them out. */
const FILLED_IN: Readonly<Record<string, readonly string[]>> = {
  namespaces: ["spec"],
  pods: [
    "spec.tolerations",
    "spec.priority",
    "spec.preemptionPolicy",
    "spec.serviceAccount",
    "spec.serviceAccountName",
  ],
  services: ["spec.clusterIP", "spec.clusterIPs", "spec.ipFamilies", "spec.ipFamilyPolicy"],
};

interface Endpoint {
  readonly plural: string;
  /** Empty for the object itself. */
  readonly subresource: string;
  /** Does the kind have a status that is written on its own? */
  readonly hasStatus: boolean;
}

export function resetFields({ plural, subresource, hasStatus }: Endpoint): FieldSet {
  const known = RESET[subresource === "" ? plural : `${plural}/${subresource}`];
  if (known !== undefined) return known;
  if (subresource === "status") return RESET_BY_STATUS;
  return subresource === "" && hasStatus ? RESET_BESIDE_STATUS : NO_FIELDS;
}

function fields(...paths: readonly string[]): FieldSet {
  return unionOf(paths.map(parsePath));
}

function parsePath(path: string): FieldSet {
  return setOf(path.split(".").map(fieldElement));
}

/** Of a new object: what stands in it although the client did not send it. */
export function filledIn(next: JsonObject, sent: JsonObject, about: { plural: string; schema: Schema }): FieldSet {
  const added = (FILLED_IN[about.plural] ?? []).filter((path) => !hasPath(sent, path.split(".")));
  return unionOf([...added.map(parsePath), addedItems(next, sent, about.schema)]);
}

function hasPath(value: Json | undefined, path: readonly string[]): boolean {
  const [first, ...rest] = path;
  if (first === undefined) return value !== undefined;
  return isJsonObject(value) && hasPath(value[first], rest);
}

/** Items of keyed lists that only the server put there: the token volume of a pod. */
function addedItems(next: Json | undefined, sent: Json | undefined, schema: Schema): FieldSet {
  if (isAtomic(schema) || (schema.kind === "map" && isAtomic(schema.value))) return NO_FIELDS;
  if (schema.kind === "list") return addedToList(itemsOf(next), itemsOf(sent), schema);
  return isJsonObject(next) ? addedBelow(next, isJsonObject(sent) ? sent : {}, schema) : NO_FIELDS;
}

function addedToList(after: readonly Json[], before: readonly Json[], schema: ListSchema): FieldSet {
  if (before.length === 0) return after.length === 0 ? NO_FIELDS : MEMBER;
  const known = new Map(before.map((item) => [itemElement(schema, item), item]));
  const children = after.flatMap((item): [PathElement, FieldSet][] => {
    const element = itemElement(schema, item);
    if (element === undefined) return [];
    const twin = known.get(element);
    return [[element, twin === undefined ? MEMBER : addedItems(item, twin, schema.item)]];
  });
  return fieldSet(false, children);
}

/** Most objects have no such list in them, and so nothing is made for their fields. */
function addedBelow(next: JsonObject, sent: JsonObject, schema: Schema): FieldSet {
  const children = new Map<PathElement, FieldSet>();
  for (const [name, value] of Object.entries(next)) {
    const inner = typeof value === "object" ? memberOf(schema, name) : undefined;
    const below = inner === undefined ? NO_FIELDS : addedItems(value, sent[name], inner);
    if (!isEmpty(below)) children.set(fieldElement(name), below);
  }
  return children.size === 0 ? NO_FIELDS : { isMember: false, children };
}

function itemsOf(value: Json | undefined): readonly Json[] {
  return Array.isArray(value) ? value : [];
}
