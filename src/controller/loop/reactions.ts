// What a loop does about a fault of its handler: one of the three edges that translate faults (the others are
// apiserver/reply and cli/terminal). None of them is a denial: an accident of ours is never the requester's fault.

import type { FaultCode } from "../../kernel/outcome/index.ts";

/**
 * `retry`: soon, with a growing, jittered pause: it may pass by itself.
 * `wait`: after a minute: somebody has to change a right, a file or a setting first.
 * `park`: not until the object changes: the same input would fail the same way.
 */
export type Reaction = "retry" | "wait" | "park";

export const REACTIONS: Readonly<Record<FaultCode, Reaction>> = {
  malformed: "park",
  "limit-exceeded": "park",
  unsupported: "park",
  untrusted: "wait",
  unauthorized: "wait",
  forbidden: "wait",
  // The object went away between cache and write; if it comes back, that is a change.
  "not-found": "park",
  "already-exists": "retry",
  conflict: "retry",
  // The server refused the write for what it says. A guard on metadata.uid ends here too: the object was replaced.
  invalid: "park",
  expired: "retry",
  "too-many-requests": "retry",
  unavailable: "retry",
  timeout: "retry",
  aborted: "retry",
  denied: "park",
  "failed-request": "park",
  "bad-config": "wait",
  locked: "retry",
  "io-failed": "retry",
  internal: "park",
};
