// Changes of storage as one watcher sees them. A watcher with a selector lives in a world where only matching objects exist:
// an object that starts to match is ADDED there, one that stops to match is DELETED with the last content that matched.
// Pure. Kubernetes API concepts, "Efficient detection of changes".

import { apiVersionOf, INITIAL_EVENTS_END, type KubeObject, type Resource, type Status } from "../../api/meta/index.ts";
import type { Change } from "../storage/index.ts";

export type WatchedEvent =
  | { readonly type: "ADDED" | "MODIFIED" | "DELETED" | "BOOKMARK"; readonly object: KubeObject }
  | { readonly type: "ERROR"; readonly object: Status };

export type Matches = (object: KubeObject) => boolean;

/** Undefined when the change happens outside the watcher's world. */
export function eventOf(change: Change, matches: Matches): WatchedEvent | undefined {
  const { previous } = change;
  const matched = previous !== undefined && matches(previous);
  const isMatching = change.type !== "DELETED" && matches(change.object);
  if (isMatching) return { type: matched ? "MODIFIED" : "ADDED", object: change.object };
  if (!matched) return undefined;
  return { type: "DELETED", object: atRevision(previous, change.revision) };
}

/** Tells a client how far it has seen; the object is empty but for its kind and version. */
export function bookmarkAt(revision: number, resource: Resource): WatchedEvent {
  const metadata = { resourceVersion: String(revision) };
  return { type: "BOOKMARK", object: { kind: resource.kind, apiVersion: apiVersionOf(resource), metadata } };
}

/** The bookmark that tells the client of a streaming list that it has now seen everything there was. */
export function initialEventsEnd(revision: number, resource: Resource): WatchedEvent {
  const metadata = { resourceVersion: String(revision), annotations: { [INITIAL_EVENTS_END]: "true" } };
  return { type: "BOOKMARK", object: { kind: resource.kind, apiVersion: apiVersionOf(resource), metadata } };
}

function atRevision(object: KubeObject, revision: number): KubeObject {
  return { ...object, metadata: { ...object.metadata, resourceVersion: String(revision) } };
}
