// When a watch ends and when it wakes in between. Pure arithmetic in milliseconds; the clock and the randomness are handed in.

/** kube-apiserver: --min-request-timeout 1800 s, times a random factor in [1, 2), so that watches do not all end together. */
const DEFAULT_TIMEOUT_MS = 1_800_000;

/** About once a minute, as kube-apiserver does: a client that reconnects then replays a minute at most. */
const BOOKMARK_INTERVAL_MS = 60_000;

/** The last bookmark comes this long before the end, so that the next watch starts close to where this one stopped. */
const BOOKMARK_BEFORE_END_MS = 2_000;

/** `random` gives a number in [0, 1). Zero seconds mean the default, as silence does. */
export function watchTimeoutMs(timeoutSeconds: number | undefined, random: () => number): number {
  if (timeoutSeconds !== undefined && timeoutSeconds > 0) return timeoutSeconds * 1_000;
  return DEFAULT_TIMEOUT_MS * (1 + random());
}

/** The next moment at which a watch has something to do by itself: give a bookmark or end. */
export function nextWakeAt(nowMs: number, deadlineMs: number): number {
  const lastBookmarkMs = deadlineMs - BOOKMARK_BEFORE_END_MS;
  const endMs = nowMs < lastBookmarkMs ? lastBookmarkMs : deadlineMs;
  return Math.min(nowMs + BOOKMARK_INTERVAL_MS, endMs);
}
