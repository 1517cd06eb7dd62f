// The owners of fields, from the verbs' side of ownership/: every write records in metadata.managedFields which manager
// set which field. Behaviour of the managers in k8s.io/apimachinery/pkg/util/managedfields.

import { apiVersionOf, type KubeObject } from "../../api/meta/index.ts";
import { isJsonObject, isSameJson, type Json, type JsonObject } from "../../kernel/json/index.ts";
import {
  encodeManagers,
  type FieldSet,
  type FieldWriter,
  filledFields,
  type Managers,
  NO_MANAGERS,
  parseManagers,
  resetFields,
  type TrackedWrite,
  trackUpdate,
  unionOf,
} from "../ownership/index.ts";
import { formatTime } from "../resources/metadata.ts";
import { type StructSchema, schemaOfKind, zeroOf } from "../schema/index.ts";
import type { StoredCall } from "./stored-call.ts";

/** The object with its managedFields; without them when no field has an owner. */
function withManagers<T extends KubeObject>(object: T, managers: Managers): T {
  const { managedFields: _before, ...metadata } = object.metadata;
  if (managers.size === 0) return { ...object, metadata };
  return { ...object, metadata: { ...metadata, managedFields: encodeManagers(managers) } };
}

export function managersOf({ metadata }: KubeObject): Managers {
  return parseManagers(metadata.managedFields) ?? NO_MANAGERS;
}

/** An object as ownership sees it. */
export function ownable(object: KubeObject): JsonObject {
  const { managedFields: _managed, ...metadata } = object.metadata;
  return { ...object, metadata } as unknown as JsonObject;
}

/** A new object without the fields that the server fills in or that name its place: they get no owner. */
function ownableOfNew(object: KubeObject): JsonObject {
  const { apiVersion: _version, kind: _kind, ...rest } = object;
  const {
    managedFields: _managed,
    name: _name,
    namespace: _namespace,
    uid: _uid,
    creationTimestamp: _created,
    generation: _generation,
    ...metadata
  } = object.metadata;
  return { ...rest, metadata } as unknown as JsonObject;
}

export function writerOf(stored: StoredCall, manager: string, operation: FieldWriter["operation"]): FieldWriter {
  const subresource = stored.subresource?.name ?? "";
  return { manager, operation, apiVersion: apiVersionOf(stored.resource), subresource };
}

export function ignoredFields({ strategy, subresource }: StoredCall): FieldSet {
  return resetFields(strategy, subresource);
}

/**
 * The owners after a write: the manager that writes owns what it changes, or an apply has computed the owners already.
 */
export type Owners = { readonly manager: string } | { readonly managers: Managers };

interface Creation {
  readonly owners: Owners;
  /** As the client sent it. */
  readonly sent: KubeObject;
  /** As it will be stored. */
  readonly next: KubeObject;
}

/** The creator owns everything it sent and every default, but not what the server filled in. */
export function ownedByCreator(stored: StoredCall, { owners, sent, next }: Creation): KubeObject {
  if ("managers" in owners) return withManagers(next, owners.managers);
  const schema = schemaOfKind(stored.strategy);
  if (schema === undefined) return withManagers(next, NO_MANAGERS);
  const after = ownableOfNew(next);
  const made = filledFields(after, ownableOfNew(sent), { filledIn: stored.strategy.filledIn, schema });
  const write: TrackedWrite = {
    ...writeBy(stored, owners.manager, schema),
    ignored: unionOf([ignoredFields(stored), made]),
    managers: NO_MANAGERS,
    live: emptyObject(stored, schema),
  };
  return withManagers(next, trackUpdate(write, after));
}

function writeBy(stored: StoredCall, manager: string, schema: StructSchema) {
  return { schema, writer: writerOf(stored, manager, "Update"), time: formatTime(stored.parts.clock.now()) };
}

/** What a new object is compared with. */
export function emptyObject({ strategy }: StoredCall, schema: StructSchema): Json {
  return strategy.custom === undefined ? zeroOf(schema) : {};
}

interface Change {
  readonly owners: Owners;
  readonly sent: KubeObject;
  readonly current: KubeObject;
  readonly next: KubeObject;
}

/** The writer becomes the owner of what it changes. An object without owners stays without. */
export function ownedByWriter(stored: StoredCall, { owners, sent, current, next }: Change): KubeObject {
  if ("managers" in owners) return withManagers(next, owners.managers);
  const schema = schemaOfKind(stored.strategy);
  const managers = startingManagers(stored, sent, current);
  if (schema === undefined || managers.size === 0) return withManagers(next, NO_MANAGERS);
  const write: TrackedWrite = {
    ...writeBy(stored, owners.manager, schema),
    ignored: ignoredFields(stored),
    managers,
    live: ownable(current),
  };
  return withManagers(next, trackUpdate(write, ownable(next)));
}

/**
 * A client may edit managedFields, but not through a subresource; leaving them out changes nothing, one empty entry
 * clears them.
 */
function startingManagers({ subresource }: StoredCall, sent: KubeObject, current: KubeObject): Managers {
  const { managedFields: wanted } = sent.metadata;
  if (subresource !== undefined || wanted === undefined) return managersOf(current);
  if (wanted.length === 1 && isJsonObject(wanted[0]) && Object.keys(wanted[0]).length === 0) return NO_MANAGERS;
  const edited = parseManagers(wanted);
  return edited === undefined || edited.size === 0 ? managersOf(current) : edited;
}

/** A write that changes nothing, or only timestamps of managers, is not stored. */
export function isSameButForTimes(one: KubeObject, other: KubeObject): boolean {
  return isSameJson(withoutTimes(one), withoutTimes(other));
}

function withoutTimes(object: KubeObject): KubeObject {
  const { managedFields } = object.metadata;
  if (managedFields === undefined) return object;
  const timeless = managedFields.map((entry) => ({ ...(entry as JsonObject), time: undefined }));
  return { ...object, metadata: { ...object.metadata, managedFields: timeless } };
}
