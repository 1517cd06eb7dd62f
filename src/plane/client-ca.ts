// CA bundles beside the cluster's own are read again when their files change: an operator replaces a CA without a
// restart, and client certificates of the old one are accepted until the new one is in use.

import type { Clock } from "../platform/clock/index.ts";
import { followFile } from "../platform/files/index.ts";
import type { Log } from "../platform/report/index.ts";

interface FollowOptions {
  readonly clock: Clock;
  readonly log: Log;
  /** Takes all bundles of this moment; a Fault leaves everything as it was. */
  readonly use: (bundles: ReadonlyMap<string, string>) => void;
}

/** Path -> content, as it was loaded. Returns what ends the watch. */
export function followClientCa(
  loaded: ReadonlyMap<string, string>,
  { clock, log, use }: FollowOptions,
): () => Promise<void> {
  const stop = new AbortController();
  let bundles = loaded;
  const running = [...loaded].map(([path, known]) =>
    followFile(path, known, {
      clock,
      signal: stop.signal,
      onChange: (content) => {
        const next = new Map(bundles).set(path, content);
        use(next);
        bundles = next;
        log.info("client CA bundle replaced", { path });
      },
      onTrouble: (error) => log.warn("client CA bundle not replaced, the former stays in force", { path, error }),
    }),
  );
  return async () => {
    stop.abort();
    await Promise.all(running);
  };
}
