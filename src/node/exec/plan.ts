// Until when may client-go keep what the plugin answers? Pure. client-go runs the plugin at the first request after the
// stated time and never looks at the certificate's own end, so the time must lie before that end; and never in the past,
// or the plugin runs once per request.

/** The last seconds of a certificate are not relied upon: a request under way when it ends is answered 401. */
const END_MARGIN_MS = 10_000;
/** However late it is, one run serves the requests of this long. */
const SHORTEST_USE_MS = 5_000;
/** After a renewal that did not succeed, while the present certificate still works. */
export const RETRY_RENEWAL_MS = 60_000;

export interface AnswerFacts {
  /** When the plugin wants to be called again. */
  readonly untilMs: number;
  readonly notAfterMs: number;
  readonly nowMs: number;
}

export function planExpiry({ untilMs, notAfterMs, nowMs }: AnswerFacts): number {
  return Math.max(Math.min(untilMs, notAfterMs - END_MARGIN_MS), nowMs + SHORTEST_USE_MS);
}

/** RFC 3339 in whole seconds; rounded down, so it is never after the moment that was meant. */
export function encodeExpiry(ms: number): string {
  return `${new Date(ms).toISOString().slice(0, 19)}Z`;
}
