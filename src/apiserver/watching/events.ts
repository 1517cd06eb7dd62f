// Changes of storage as one watcher sees them. For a watcher with a selector only matching objects exist: an object
// that begins to match is ADDED, one that no longer matches is DELETED with the last content that matched. Pure.
// Kubernetes API concepts, "Efficient detection of changes".

import { apiVersionOf, INITIAL_EVENTS_END, type KubeObject, type Resource, type Status } from "../../api/meta/index.ts";
import type { Fault } from "../../kernel/outcome/index.ts";
import type { Change, Content } from "../storage/storage.ts";

export type WatchedEvent =
  | { readonly type: "ADDED" | "MODIFIED" | "DELETED" | "BOOKMARK"; readonly content: Content }
  | { readonly type: "ERROR"; readonly status: Status };

export type Matches = (object: KubeObject) => boolean;

/** For a watcher without a selector: no object is inspected, so none is parsed. */
export const EVERYTHING: Matches = () => true;

/** Undefined when the change concerns no object that this watcher selects. */
export function eventOf(change: Change, matches: Matches): WatchedEvent | undefined {
  if (matches === EVERYTHING) return { type: change.type, content: change };
  const { previous } = change;
  const matched = previous !== undefined && matches(previous);
  const isMatching = change.type !== "DELETED" && matches(change.object);
  if (isMatching) return { type: matched ? "MODIFIED" : "ADDED", content: change };
  if (!matched) return undefined;
  return { type: "DELETED", content: { object: atRevision(previous, change.revision) } };
}

/** Tells a client how far it has seen; the object is empty but for its kind and version. */
export function bookmarkAt(revision: number, resource: Resource): WatchedEvent {
  return bookmark(resource, { resourceVersion: String(revision) });
}

/** The bookmark by which the client of a streaming list knows that it has seen all initial objects. */
export function initialEventsEnd(revision: number, resource: Resource): WatchedEvent {
  const metadata = { resourceVersion: String(revision), annotations: { [INITIAL_EVENTS_END]: "true" } };
  return bookmark(resource, metadata);
}

function bookmark(resource: Resource, metadata: KubeObject["metadata"]): WatchedEvent {
  const object = { kind: resource.kind, apiVersion: apiVersionOf(resource), metadata };
  return { type: "BOOKMARK", content: { object } };
}

function atRevision(object: KubeObject, revision: number): KubeObject {
  return { ...object, metadata: { ...object.metadata, resourceVersion: String(revision) } };
}

// The two reasons why a watch cannot begin, as the last event of its stream: the HTTP status has been sent by then.

/** Clients list again when they see it. */
export function expiredEvent({ message }: Fault): WatchedEvent {
  return { type: "ERROR", status: { ...FAILURE, message, reason: "Expired", code: 410 } };
}

/** The requested revision did not come in time. Clients look for the cause and try again after the seconds given. */
export function tooLargeEvent({ message }: Fault): WatchedEvent {
  const causes = [{ reason: "ResourceVersionTooLarge", message: "Too large resource version" }];
  return {
    type: "ERROR",
    status: {
      ...FAILURE,
      message: `Timeout: ${message}`,
      reason: "Timeout",
      details: { causes, retryAfterSeconds: 1 },
      code: 504,
    },
  };
}

const FAILURE = { kind: "Status", apiVersion: "v1", metadata: {}, status: "Failure" } as const satisfies Status;
