// The opening of a watch, and the subscription that continues it without gap or repetition: the current objects, closed
// by a bookmark (a streaming list), or the changes after a revision that the client has seen.

import type { Resource } from "../../api/meta/index.ts";
import type { Change, Page, Storage } from "../storage/storage.ts";
import { EVERYTHING, eventOf, initialEventsEnd, type Matches, type WatchedEvent } from "./events.ts";

export interface WatchParameters {
  /** Zero or absent: begin with the current objects, unless `sendInitialEvents` is false. */
  readonly resourceVersion?: number | undefined;
  readonly sendInitialEvents?: boolean | undefined;
  readonly allowWatchBookmarks?: boolean | undefined;
  readonly timeoutSeconds?: number | undefined;
}

export interface WatchScope {
  readonly storage: Storage;
  readonly prefix: string;
  readonly resource: Resource;
  /** Label and field selector, and everything else that decides which objects exist for this watcher. */
  readonly matches: Matches;
  readonly parameters: WatchParameters;
}

interface Beginning {
  readonly opening: Iterable<WatchedEvent>;
  readonly unsubscribe: () => void;
}

/** Kubernetes begins with the current objects when no revision is given, whether or not the client asks for it. */
export function isStreamingList({ resourceVersion = 0, sendInitialEvents }: WatchParameters): boolean {
  return sendInitialEvents ?? resourceVersion === 0;
}

/** Fault `expired` when the changes after the revision are no longer known. */
export function beginWatch(watched: WatchScope, onChange: (change: Change) => void): Beginning {
  const { storage, prefix, parameters } = watched;
  if (isStreamingList(parameters)) {
    const page = storage.list({ prefix });
    return { opening: initialEvents(watched, page), unsubscribe: storage.watch(prefix, page.revision, onChange) };
  }
  const after = parameters.resourceVersion || storage.revision();
  const past: Change[] = [];
  let isReplay = true;
  const unsubscribe = storage.watch(prefix, after, (change) => {
    if (isReplay) past.push(change);
    else onChange(change);
  });
  isReplay = false;
  return { opening: pastEvents(watched, past), unsubscribe };
}

function* initialEvents({ matches, resource, parameters }: WatchScope, page: Page): Generator<WatchedEvent> {
  for (const content of page.items) {
    if (matches === EVERYTHING || matches(content.object)) yield { type: "ADDED", content };
  }
  if (parameters.allowWatchBookmarks === true) yield initialEventsEnd(page.revision, resource);
}

function* pastEvents({ matches }: WatchScope, past: readonly Change[]): Generator<WatchedEvent> {
  for (const change of past) {
    const event = eventOf(change, matches);
    if (event !== undefined) yield event;
  }
}
