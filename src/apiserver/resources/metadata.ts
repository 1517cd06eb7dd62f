// The rules for metadata that all kinds share: k8s.io/apimachinery/pkg/api/validation/objectmeta.go.

import type { KubeObject, ObjectMeta, OwnerReference, Resource } from "../../api/meta/index.ts";
import { isSameJson } from "../../kernel/json/index.ts";
import { type FieldError, forbiddenField, invalid, required, tooLong } from "./field-error.ts";
import { labelValue, type NameRule, qualifiedKey } from "./names.ts";

/** The rest is not looked at: to refuse 28,000 labels one by one took the server a tenth of a second. */
const MAX_ERRORS = 100;

/** Keys and values together; etcd and every watcher carry them. */
const MAX_ANNOTATION_BYTES = 262_144;

export function validateMeta(meta: ObjectMeta, resource: Resource, nameRule: NameRule): readonly FieldError[] {
  return [...nameErrors(meta, nameRule), ...namespaceErrors(meta, resource), ...commonErrors(meta)];
}

export function validateMetaUpdate(next: ObjectMeta, current: ObjectMeta): readonly FieldError[] {
  const errors: FieldError[] = [...finalizerGrowth(next, current)];
  for (const field of ["name", "namespace", "uid"] as const) {
    if ((next[field] ?? "") !== (current[field] ?? "")) {
      errors.push(invalid(`metadata.${field}`, next[field] ?? "", "field is immutable"));
    }
  }
  return [...errors, ...commonErrors(next)];
}

function nameErrors(meta: ObjectMeta, rule: NameRule): readonly FieldError[] {
  const errors: FieldError[] = [];
  // The prefix of a generated name may end in a dash; a letter in place of the suffix makes it a whole name.
  if (meta.generateName !== undefined && meta.generateName !== "") {
    for (const text of rule(`${meta.generateName}a`))
      errors.push(invalid("metadata.generateName", meta.generateName, text));
  }
  if (meta.name === undefined || meta.name === "") {
    return [...errors, required("metadata.name", "name or generateName is required")];
  }
  return [...errors, ...rule(meta.name).map((text) => invalid("metadata.name", meta.name, text))];
}

function namespaceErrors(meta: ObjectMeta, resource: Resource): readonly FieldError[] {
  if (resource.namespaced || meta.namespace === undefined || meta.namespace === "") return [];
  return [forbiddenField("metadata.namespace", "not allowed on this type")];
}

function commonErrors(meta: ObjectMeta): readonly FieldError[] {
  return [
    ...labelErrors(meta.labels ?? {}),
    ...annotationErrors(meta.annotations ?? {}),
    ...ownerErrors(meta.ownerReferences ?? []),
    ...finalizerErrors(meta.finalizers ?? []),
  ];
}

function labelErrors(labels: Readonly<Record<string, string>>): readonly FieldError[] {
  const errors: FieldError[] = [];
  for (const [key, value] of Object.entries(labels)) {
    if (errors.length >= MAX_ERRORS) break;
    for (const text of qualifiedKey(key)) errors.push(invalid("metadata.labels", key, text));
    for (const text of labelValue(value)) errors.push(invalid("metadata.labels", value, text));
  }
  return errors;
}

function finalizerErrors(finalizers: readonly string[]): readonly FieldError[] {
  const errors: FieldError[] = [];
  for (const one of finalizers) {
    if (errors.length >= MAX_ERRORS) break;
    for (const text of qualifiedKey(one)) errors.push(invalid("metadata.finalizers", one, text));
  }
  return errors;
}

function annotationErrors(annotations: Readonly<Record<string, string>>): readonly FieldError[] {
  let bytes = 0;
  const errors: FieldError[] = [];
  for (const [key, value] of Object.entries(annotations)) {
    bytes += utf8Length(key) + utf8Length(value);
    if (errors.length >= MAX_ERRORS) continue;
    for (const text of qualifiedKey(key.toLowerCase())) errors.push(invalid("metadata.annotations", key, text));
  }
  return bytes > MAX_ANNOTATION_BYTES ? [...errors, tooLong("metadata.annotations", MAX_ANNOTATION_BYTES)] : errors;
}

function ownerErrors(owners: readonly OwnerReference[]): readonly FieldError[] {
  const errors: FieldError[] = [];
  for (const owner of owners) {
    for (const field of ["apiVersion", "kind", "name", "uid"] as const) {
      if ((owner[field] ?? "") === "") {
        errors.push(invalid(`metadata.ownerReferences.${field}`, "", "must not be empty"));
      }
    }
  }
  if (owners.filter((owner) => owner.controller === true).length > 1) {
    errors.push(invalid("metadata.ownerReferences", owners, "Only one reference can have Controller set to true"));
  }
  return errors;
}

function finalizerGrowth(next: ObjectMeta, current: ObjectMeta): readonly FieldError[] {
  if (current.deletionTimestamp === undefined) return [];
  const before = new Set(current.finalizers);
  const added = (next.finalizers ?? []).filter((one) => !before.has(one));
  if (added.length === 0) return [];
  const detail = "no new finalizers can be added if the object is being deleted, found new finalizers";
  const shown = added.map((one) => JSON.stringify(one)).join(", ");
  return [forbiddenField("metadata.finalizers", `${detail} []string{${shown}}`)];
}

export function utf8Length(text: string): number {
  let bytes = 0;
  for (const character of text) {
    const point = character.codePointAt(0) ?? 0;
    bytes += point < 0x80 ? 1 : point < 0x800 ? 2 : point < 0x10000 ? 3 : 4;
  }
  return bytes;
}

interface Identity {
  readonly uid: string;
  readonly nowMs: number;
}

/** Metadata that only the server sets on a new object. */
export function metaForCreate(sent: ObjectMeta, identity: Identity): ObjectMeta {
  const { deletionTimestamp: _deleted, deletionGracePeriodSeconds: _grace, resourceVersion: _version, ...kept } = sent;
  const clean: ObjectMeta & { selfLink?: unknown } = { ...kept };
  delete clean.selfLink;
  delete clean.managedFields;
  return { ...clean, uid: identity.uid, creationTimestamp: formatTime(identity.nowMs) };
}

/** Metadata that an update may not change; storage checks the resourceVersion. */
export function metaForUpdate(sent: ObjectMeta, current: ObjectMeta): ObjectMeta {
  const next: ObjectMeta = { ...sent };
  delete next.managedFields;
  for (const field of SERVER_OWNED) {
    const value = current[field];
    if (value === undefined) delete next[field];
    else Object.assign(next, { [field]: value });
  }
  if (next.uid === undefined || next.uid === "")
    Object.assign(next, current.uid === undefined ? {} : { uid: current.uid });
  return next;
}

const SERVER_OWNED = [
  "creationTimestamp",
  "deletionTimestamp",
  "deletionGracePeriodSeconds",
  "generation",
  "generateName",
  "resourceVersion",
] as const;

/** Seconds, UTC: the form of metav1.Time. */
export function formatTime(ms: number): string {
  return `${new Date(ms).toISOString().slice(0, 19)}Z`;
}

/** kind and apiVersion first, as kube-apiserver writes them. */
export function orderFields<T extends KubeObject>(object: T): T {
  const { kind, apiVersion, metadata, ...rest } = object;
  return { kind, apiVersion, metadata, ...rest } as unknown as T;
}

/** metadata.generation counts the changes of what is wanted; controllers report the number that they have acted on. */
export function firstGeneration<T extends KubeObject>(object: T): T {
  return { ...object, metadata: { ...object.metadata, generation: 1 } };
}

/** `wanted` selects the part whose changes count, usually the spec. */
export function countedGeneration<T extends KubeObject>(next: T, current: T, wanted: (object: T) => unknown): T {
  const generation = current.metadata.generation ?? 0;
  const counted = isSameJson(wanted(next), wanted(current)) ? generation : generation + 1;
  return counted === 0 ? next : { ...next, metadata: { ...next.metadata, generation: counted } };
}
