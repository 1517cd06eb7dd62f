// While a serving certificate is being asked for, the machine may get other addresses. The request is then given up, and the
// next one asks for the new names: a certificate for the old ones would be of no use.

import { isFault } from "../../../kernel/outcome/index.ts";
import type { Clock } from "../../../platform/clock/index.ts";
import { onAbort } from "../../../platform/signals/index.ts";
import { namesOf, type ServingNames } from "../template.ts";

const LOOK_MS = 1_000;

export interface NamesWatch {
  readonly clock: Clock;
  /** Undefined: nothing to watch. */
  readonly names: (() => ServingNames | undefined) | undefined;
  /** Those of the request. */
  readonly asked: ServingNames | undefined;
  readonly signal: AbortSignal | undefined;
}

/** The signal that `act` gets fires with the caller's, or when the names are no longer those that are asked for. */
export async function whileNamesHold<T>(watch: NamesWatch, act: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const stop = new AbortController();
  const done = new AbortController();
  const giveUp = () => stop.abort();
  const leave = onAbort(watch.signal, giveUp);
  const watching = watchNames(watch, done.signal, giveUp);
  try {
    return await act(stop.signal);
  } finally {
    done.abort();
    leave();
    await watching;
  }
}

async function watchNames({ clock, names, asked }: NamesWatch, done: AbortSignal, giveUp: () => void): Promise<void> {
  if (names === undefined) return;
  try {
    do await clock.sleep(LOOK_MS, done);
    while (isSame(names(), asked));
    giveUp();
  } catch (error) {
    if (!isFault(error, "aborted")) throw error;
  }
}

function isSame(a: ServingNames | undefined, b: ServingNames | undefined): boolean {
  return namesOf(a).join("|") === namesOf(b).join("|");
}
