// Round after round with the server until the signal aborts. No failure ends it: not a refused list, not a broken
// stream, not garbage. It says so in the log, waits longer each time, and goes on from where it was, or from the
// beginning.

import type { KubeObject } from "../../../api/meta/index.ts";
import { Fault, isFault } from "../../../kernel/outcome/index.ts";
import type { Clock } from "../../clock/index.ts";
import type { Log } from "../../report/index.ts";
import { onAbort } from "../../signals/index.ts";
import { isTooLargeResourceVersion } from "../faults.ts";
import { backoffMs, WATCH_BACKOFF, waitAfterMs } from "../pace.ts";
import { follow, type Position, type Round, type Sink, type Source } from "./follow.ts";

/** A stream that ends sooner, and empty, was not a watch: asking again at once would be a busy loop. */
const SHORT_WATCH_MS = 1_000;

/** A round that lasted this long was a success, however it ended. */
const STEADY_MS = 30_000;

interface Following<T extends KubeObject> {
  readonly source: Source;
  readonly sink: Sink<T>;
  readonly log: Log;
  readonly signal: AbortSignal;
  readonly restart: Restart;
}

/** A caller's wish that the present round, or the pause before the next one, ends and everything is read anew. */
interface Restart {
  request(): void;
  /** Runs one round with a signal that also a request aborts. True when one came. */
  during(signal: AbortSignal, round: (signal: AbortSignal) => Promise<void>): Promise<boolean>;
}

export function createRestart(): Restart {
  let wanted = false;
  let interrupt: (() => void) | undefined;
  return {
    request: () => {
      // Before the first round there is nothing to interrupt, and that round reads everything anyway.
      if (interrupt === undefined) return;
      wanted = true;
      interrupt();
    },
    during: async (signal, round) => {
      const either = new AbortController();
      const leave = onAbort(signal, () => either.abort(signal.reason));
      interrupt = () => either.abort();
      try {
        await round(either.signal);
        return wanted;
      } finally {
        leave();
        wanted = false;
      }
    },
  };
}

export async function keepFollowing<T extends KubeObject>(following: Following<T>): Promise<void> {
  const { source, sink, log, signal, restart } = following;
  const { clock, random } = source;
  const position: Position = { resourceVersion: undefined, streaming: true };
  let failures = 0;
  const round = async (either: AbortSignal) => {
    const { failure, isProgress } = await runRound({ source, position, sink, signal: either });
    if (either.aborted) return;
    if (isProgress) failures = 0;
    if (failure === undefined) return;
    const waitMs = waitAfterMs(failure, backoffMs(WATCH_BACKOFF, failures, random()));
    failures++;
    report(log, failure, waitMs);
    await sleepUntilAborted(clock, waitMs, either);
  };
  while (!signal.aborted) if (await restart.during(signal, round)) position.resourceVersion = undefined;
}

interface RoundEnd {
  readonly failure: unknown;
  readonly isProgress: boolean;
}

async function runRound<T extends KubeObject>(round: Round<T>): Promise<RoundEnd> {
  const { source, position, sink } = round;
  const startedMs = source.clock.now();
  let events = 0;
  const counting: Sink<T> = {
    keep: sink.keep,
    replace: sink.replace,
    apply: (event) => {
      events++;
      sink.apply(event);
    },
  };
  const end = (failure: unknown): RoundEnd => {
    const lastedMs = source.clock.now() - startedMs;
    const isEmpty = events === 0 && lastedMs < SHORT_WATCH_MS;
    return {
      failure: failure ?? (isEmpty ? endedAtOnce() : undefined),
      isProgress: events > 0 || lastedMs >= STEADY_MS,
    };
  };
  try {
    await follow({ ...round, sink: counting });
    return end(undefined);
  } catch (failure) {
    if (!canResume(failure)) position.resourceVersion = undefined;
    return end(failure);
  }
}

function endedAtOnce(): Fault {
  return new Fault("unavailable", "the server ended the watch at once");
}

/**
 * The connection failed, not the request: the watch goes on from where it was. Anything else begins with a new list.
 */
function canResume(failure: unknown): boolean {
  if (!isFault(failure) || isTooLargeResourceVersion(failure)) return false;
  return failure.code === "unavailable" || failure.code === "timeout" || failure.code === "too-many-requests";
}

function report(log: Log, error: unknown, waitMs: number): void {
  const fields = { error, waitMs: Math.round(waitMs) };
  if (isFault(error, "expired")) log.info("watch history is gone, listing again", fields);
  else if (isFault(error)) log.warn("cannot follow a resource, trying again", fields);
  else log.error("cannot follow a resource, trying again", fields);
}

async function sleepUntilAborted(clock: Clock, ms: number, signal: AbortSignal): Promise<void> {
  try {
    await clock.sleep(ms, signal);
  } catch (failure) {
    if (!isFault(failure, "aborted")) throw failure;
  }
}
