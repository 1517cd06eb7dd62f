// CA bundles beside the cluster's own, read from files and read again when they change: an operator replaces a CA without a
// restart, and without a moment in which nobody is believed.

import type { Clock } from "../../platform/clock/index.ts";
import { followFile } from "../../platform/files/index.ts";
import type { Log } from "../../platform/report/index.ts";
import { readText } from "./server-options.ts";

/** Path -> content, in the order given. */
export async function loadClientCa(paths: readonly string[]): Promise<Map<string, string>> {
  const entries = await Promise.all(paths.map(async (path) => [path, await readText(path)] as const));
  return new Map(entries);
}

export interface Following {
  readonly clock: Clock;
  readonly log: Log;
  /** Takes all bundles of this moment; a Fault leaves everything as it was. */
  readonly use: (bundles: ReadonlyMap<string, string>) => void;
}

/** Returns what ends it. */
export function followClientCa(
  loaded: ReadonlyMap<string, string>,
  { clock, log, use }: Following,
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
