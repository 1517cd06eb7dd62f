// What the documents say about the fields that every object has. Everything else about a built-in kind is in the
// Kubernetes documentation.

import { API_VERSION, KIND, LIST_METADATA, METADATA } from "../../resources/custom/index.ts";
import type { Schema } from "../../schema/index.ts";

const OBJECT_META: Readonly<Record<string, string>> = {
  annotations: "Annotations are free text by key, for tools and people; nothing selects by them.",
  creationTimestamp: "CreationTimestamp is a timestamp that the server sets when it stores the object.",
  deletionGracePeriodSeconds: "How many seconds a deleted object stays so that whoever runs it can end it.",
  deletionTimestamp: "DeletionTimestamp is when the object is to go; only the server sets it.",
  finalizers: "Who still has to act before a deleted object may go.",
  generateName: "GenerateName is the beginning of a name that the server completes when no name is given.",
  generation: "A number that grows whenever what is wanted of the object changes.",
  labels: "Labels are keys and values by which objects are selected.",
  managedFields: "ManagedFields tells which client set which fields.",
  name: "Name must be unique within a namespace, or within the cluster for kinds without one.",
  namespace: "Namespace is where the object is, for kinds that live in one.",
  ownerReferences: "The objects that this one depends on: when all of them are gone, it is garbage.",
  resourceVersion: "Changes with every write. It is opaque: compare it for equality and send it back unchanged.",
  selfLink: "No longer set.",
  uid: "UID tells this object from every other one, also from those that had its name before.",
};

/** Undefined for what is described elsewhere. */
export function describeField(schemaName: string, field: string, value: Schema): string | undefined {
  if (schemaName === "meta.ObjectMeta") return OBJECT_META[field];
  if (field === "metadata" && value.kind === "struct") {
    if (value.name === "meta.ObjectMeta") return METADATA;
    return value.name === "meta.ListMeta" ? LIST_METADATA : undefined;
  }
  return undefined;
}

/** Only for the root of a kind: elsewhere these names mean something else. */
export function describeTypeField(field: string): string | undefined {
  if (field === "apiVersion") return API_VERSION;
  return field === "kind" ? KIND : undefined;
}
