// How long to wait for a server that was asked for a streaming list. One that does not know the parameter holds the stream
// open and never says where the initial events end; a client that trusts it waits for ever.

import { isFault } from "../../../kernel/outcome/index.ts";
import type { Clock } from "../../clock/index.ts";
import { onAbort } from "../../signals/index.ts";

/** Since the last event, so that a long list may take its time. */
const INITIAL_EVENTS_PATIENCE_MS = 30_000;

export interface Patience {
  readonly signal: AbortSignal;
  /** An event came. */
  renew(): void;
  /** The initial events are complete: from now on silence is normal. */
  end(): void;
  isOver(): boolean;
  close(): void;
}

/** Aborts the stream when it falls silent before the initial events are complete. */
export function startPatience(clock: Clock, outer: AbortSignal): Patience {
  const stream = new AbortController();
  const waiting = new AbortController();
  const leave = onAbort(outer, () => stream.abort(outer.reason));
  let lastMs = clock.now();
  let isOver = false;

  async function wait(): Promise<void> {
    for (let leftMs = INITIAL_EVENTS_PATIENCE_MS; leftMs > 0; ) {
      await clock.sleep(leftMs, waiting.signal);
      leftMs = lastMs + INITIAL_EVENTS_PATIENCE_MS - clock.now();
    }
    isOver = true;
    stream.abort();
  }
  wait().catch((failure: unknown) => {
    if (!isFault(failure, "aborted")) throw failure;
  });

  return {
    signal: stream.signal,
    renew: () => {
      lastMs = clock.now();
    },
    end: () => waiting.abort(),
    isOver: () => isOver,
    close: () => {
      waiting.abort();
      leave();
    },
  };
}
