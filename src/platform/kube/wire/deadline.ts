// One signal out of two reasons to stop: the caller gives up (`aborted`), or time is over (`timeout`). The reason of the
// signal is the Fault itself, so whoever waits on it rejects with the right one. AbortSignal.any is not used: in Node 20
// each combination with a long-lived signal is held by it until that one fires.

import { Fault } from "../../../kernel/outcome/index.ts";
import { onAbort } from "../on-abort.ts";

export interface Deadline {
  readonly signal: AbortSignal;
  /** Begins anew with another time; without one only the caller's signal counts from now on. */
  extend(ms: number | undefined): void;
  /** Must be called at the end, or the caller's signal keeps a listener. */
  clear(): void;
}

export function startDeadline(what: string, ms: number, outer?: AbortSignal): Deadline {
  const controller = new AbortController();
  const abandon = () => controller.abort(new Fault("aborted", `${what} was given up`, { cause: outer?.reason }));
  const leave = onAbort(outer, abandon);
  let timer: NodeJS.Timeout | undefined;
  const extend = (limitMs: number | undefined) => {
    clearTimeout(timer);
    if (limitMs === undefined) return;
    const expire = () => controller.abort(new Fault("timeout", `${what} took longer than ${limitMs} ms`));
    timer = setTimeout(expire, limitMs);
  };
  extend(ms);
  return {
    signal: controller.signal,
    extend,
    clear: () => {
      extend(undefined);
      leave();
    },
  };
}
