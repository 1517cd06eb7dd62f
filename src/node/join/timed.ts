// One time for the whole join: what finding the cluster took is not left for the certificate.

import type { JoinOptions } from "./options.ts";

export interface TimedJoin extends JoinOptions {
  /** Undefined: nobody said how long it may take. */
  leftMs(): number | undefined;
}

export function startTime(options: JoinOptions): TimedJoin {
  const { clock, limitMs } = options;
  const startedMs = clock.now();
  return {
    ...options,
    leftMs: () => (limitMs === undefined ? undefined : Math.max(limitMs - (clock.now() - startedMs), 0)),
  };
}
