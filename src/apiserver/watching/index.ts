export type { Watched, WatchParameters } from "./beginning.ts";
export type { Matches, WatchedEvent } from "./events.ts";
export { type RevisionWait, waitForRevision } from "./wait-for-revision.ts";
export { createWatch, type Watch, type WatchRequest } from "./watch.ts";
