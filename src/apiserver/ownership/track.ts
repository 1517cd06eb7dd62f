// Field ownership of ordinary writes and of applies: the algorithm of structured-merge-diff's Updater and of the
// managers around it in k8s.io/apimachinery/pkg/util/managedfields. Pure: objects and owners in, objects and owners
// out.

import { isJsonObject, type Json } from "../../kernel/json/index.ts";
import type { Schema } from "../schema/schema.ts";
import { type Comparison, compare, isSame } from "./compare.ts";
import type { Conflict } from "./conflict.ts";
import {
  difference,
  differenceBelow,
  type FieldSet,
  intersection,
  isEmpty,
  isSameSet,
  NO_FIELDS,
  setOf,
  union,
  unionOf,
  withNamedFields,
} from "./field-set.ts";
import { fieldsOf } from "./fields-of.ts";
import { type Entry, type FieldWriter, type Managers, writerIdentity } from "./managers.ts";
import { merge, removeFields, withoutNulls } from "./merge.ts";
import { fieldElement, fieldName } from "./path-element.ts";

/** Fields that no manager owns: set by the server, or part of the object's address. */
const OWNED_BY_NOBODY: FieldSet = unionOf(
  [
    ["apiVersion"],
    ["kind"],
    ["metadata"],
    ["metadata", "name"],
    ["metadata", "namespace"],
    ["metadata", "creationTimestamp"],
    ["metadata", "selfLink"],
    ["metadata", "uid"],
    ["metadata", "clusterName"],
    ["metadata", "generation"],
    ["metadata", "managedFields"],
    ["metadata", "resourceVersion"],
  ].map((path) => setOf(path.map(fieldElement))),
);

export interface TrackedWrite {
  readonly schema: Schema;
  readonly writer: FieldWriter;
  /** Of this write, RFC 3339 in seconds. */
  readonly time: string;
  /** What this endpoint does not take from the client. */
  readonly ignored: FieldSet;
  readonly managers: Managers;
  /** What is stored now, without managedFields. */
  readonly live: Json;
}

/** An ordinary write: the writer becomes the only owner of the fields that it changed. */
export function trackUpdate({ schema, writer, time, ignored, managers, live }: TrackedWrite, next: Json): Managers {
  const changes = without(compare(withoutIgnored(live, ignored), withoutIgnored(next, ignored), schema), ignored);
  if (isSame(changes)) return managers;
  const changed = union(changes.added, changes.modified);
  const kept = takenFrom(managers, union(changed, changes.removed));
  const taken = difference(changed, OWNED_BY_NOBODY);
  if (isEmpty(taken)) return kept;
  const identity = writerIdentity(writer);
  const before = kept.get(identity);
  const fields = before === undefined ? taken : union(before.fields, taken);
  return capUpdaters(new Map([...kept, [identity, { writer, time, fields }]]));
}

export type Applied =
  | { readonly kind: "conflict"; readonly conflicts: readonly Conflict[] }
  | { readonly kind: "applied"; readonly object: Json; readonly managers: Managers }
  /** Neither a field nor an owner has changed. */
  | { readonly kind: "unchanged" };

/**
 * Fields that the same manager applied before and does not apply any more are removed, unless another manager owns
 * them.
 */
export function applyConfiguration(
  write: TrackedWrite,
  configuration: Json,
  options: { readonly force: boolean },
): Applied {
  const { schema, writer, managers, live, ignored, time } = write;
  const identity = writerIdentity(writer);
  const last = managers.get(identity);
  const fields = differenceBelow(fieldsOf(configuration, schema), ignored);
  const claimed = new Map([...managers, [identity, { writer, time, fields }]]);
  const merged = merge(live, configuration, schema) ?? configuration;
  const pruned = last === undefined ? merged : prune(merged, { schema, managers: claimed, last: last.fields });
  // The configuration may ask for a container that pruning has emptied.
  const object = withoutNulls(pruned === merged ? merged : (merge(pruned, configuration, schema) ?? configuration));
  const changes = without(compare(live, object, schema), ignored);
  const changed = union(changes.added, changes.modified);
  const conflicts = conflictsWith(claimed, changed, identity);
  if (conflicts.length > 0 && !options.force) return { kind: "conflict", conflicts };
  const others = new Map([...claimed].filter(([key]) => key !== identity));
  const kept = new Map([...takenFrom(others, union(changed, changes.removed)), ...ownEntry(claimed, identity)]);
  const isNoChange = isSame(changes) && isSameOwners(managers, kept);
  return isNoChange ? { kind: "unchanged" } : { kind: "applied", object, managers: kept };
}

function ownEntry(managers: Managers, identity: string): readonly [string, Entry][] {
  const entry = managers.get(identity);
  const fields = difference(entry?.fields ?? NO_FIELDS, OWNED_BY_NOBODY);
  return entry === undefined || isEmpty(fields) ? [] : [[identity, { ...entry, fields }]];
}

function isSameOwners(one: Managers, other: Managers): boolean {
  return (
    one.size === other.size &&
    [...one].every(([identity, entry]) => {
      const twin = other.get(identity);
      return (
        twin !== undefined && twin.writer.apiVersion === entry.writer.apiVersion && isSameSet(entry.fields, twin.fields)
      );
    })
  );
}

function conflictsWith(managers: Managers, changed: FieldSet, own: string): readonly Conflict[] {
  return [...managers].flatMap(([identity, { writer, fields }]) => {
    const defended = identity === own ? undefined : intersection(fields, changed);
    return defended === undefined || isEmpty(defended) ? [] : [{ writer, fields: defended }];
  });
}

function takenFrom(managers: Managers, taken: FieldSet): Managers {
  const kept = [...managers].map(([identity, entry]): [string, Entry] => {
    return [identity, { ...entry, fields: difference(entry.fields, taken) }];
  });
  return new Map(kept.filter(([, { fields }]) => !isEmpty(fields)));
}

/** Fields that are ignored as a whole are not visited: the spec of a CSR, the status of most kinds. */
function withoutIgnored(object: Json, ignored: FieldSet): Json {
  if (!isJsonObject(object)) return object;
  const kept = { ...object };
  for (const [element, { isMember }] of ignored.children) {
    const name = isMember ? fieldName(element) : undefined;
    if (name !== undefined) delete kept[name];
  }
  return kept;
}

function without({ added, modified, removed }: Comparison, ignored: FieldSet): Comparison {
  return {
    added: differenceBelow(added, ignored),
    modified: differenceBelow(modified, ignored),
    removed: differenceBelow(removed, ignored),
  };
}

interface Pruning {
  readonly schema: Schema;
  readonly managers: Managers;
  /** What this manager applied the last time. */
  readonly last: FieldSet;
}

/** Removes what the manager owned, then restores what any manager owns and what it never owned itself. */
function prune(merged: Json, { schema, managers, last }: Pruning): Json {
  const named = (set: FieldSet) => withNamedFields(set, schema);
  const owned = unionOf([...managers.values()].map(({ fields }) => fields));
  const all = named(fieldsOf(merged, schema));
  const bare = removeFields(merged, named(last), schema);
  const keep = union(named(fieldsOf(bare, schema)), named(owned));
  const pruned = removeFields(merged, difference(all, keep), schema);
  const gone = intersection(difference(all, named(fieldsOf(pruned, schema))), named(last));
  return removeFields(merged, gone, schema);
}

/** Beyond this number of updaters the oldest entries are merged into one. Number and name of kube-apiserver. */
const MAX_UPDATERS = 10;
const ANCIENT = "ancient-changes";

function capUpdaters(managers: Managers): Managers {
  const updaters = [...managers].filter(([, { writer }]) => writer.operation === "Update");
  const surplus = updaters.length - MAX_UPDATERS;
  if (surplus <= 0) return managers;
  const oldestFirst = updaters.sort(([a, one], [b, other]) => {
    const [mine, theirs] = [`${one.time ?? "~"} ${a}`, `${other.time ?? "~"} ${b}`];
    return mine < theirs ? -1 : 1;
  });
  return foldOldest(managers, oldestFirst, surplus);
}

/** Entries of different API versions cannot be merged: each version has a merged entry of its own. */
function foldOldest(managers: Managers, oldestFirst: readonly [string, Entry][], surplus: number): Managers {
  const kept = new Map(managers);
  const first = new Map<string, string>();
  let left = surplus;
  for (const [identity, entry] of oldestFirst) {
    if (left === 0) break;
    const { apiVersion } = entry.writer;
    const begun = first.get(apiVersion);
    if (begun === undefined) {
      first.set(apiVersion, identity);
      continue;
    }
    const writer: FieldWriter = { manager: ANCIENT, operation: "Update", apiVersion, subresource: "" };
    const folded = writerIdentity(writer);
    // The first entry of a version is merged together with the second, unless there is a merged entry already.
    const before = kept.get(folded) ?? kept.get(begun);
    if (!kept.has(folded)) kept.delete(begun);
    kept.delete(identity);
    kept.set(folded, { writer, time: entry.time, fields: union(before?.fields ?? entry.fields, entry.fields) });
    left -= 1;
  }
  return kept;
}

/** Of a configuration that was applied by a client: the fields that stand unchanged in the live object. */
export function unchangedFields(configuration: Json, live: Json, schema: Schema): FieldSet {
  const { added, modified, removed } = compare(configuration, live, schema);
  return difference(fieldsOf(configuration, schema), unionOf([added, modified, removed]));
}

export function isWithin(set: FieldSet, allowed: FieldSet): boolean {
  return isEmpty(difference(set, allowed));
}
