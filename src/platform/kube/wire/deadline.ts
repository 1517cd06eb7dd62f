// One end out of two reasons to stop: the caller gives up (`aborted`), or the time has passed (`timeout`). The reason
// is the Fault itself, so a waiting caller rejects with the right one. AbortSignal.any is not used: in Node 20 each
// combination with a long-lived signal is held by it until that one fires.

import { Fault } from "../../../kernel/outcome/index.ts";
import { onAbort } from "../../signals/index.ts";

export interface Deadline {
  /** Made when it is asked for: a signal costs more than all the rest of a deadline, and calls do without. */
  readonly signal: AbortSignal;
  /** Called with the reason, at once if the end has already come. */
  onEnd(handler: (reason: Fault) => void): void;
  /** Begins anew with another time; without one only the caller's signal counts from now on. */
  extend(ms: number | undefined): void;
  /** Must be called at the end, or the caller's signal keeps a listener. */
  clear(): void;
}

export function startDeadline(what: string, ms: number, outer?: AbortSignal): Deadline {
  let reason: Fault | undefined;
  let controller: AbortController | undefined;
  let timer: NodeJS.Timeout | undefined;
  const handlers: ((reason: Fault) => void)[] = [];

  function end(fault: Fault): void {
    reason ??= fault;
    for (const handler of handlers.splice(0)) handler(reason);
  }

  function onEnd(handler: (reason: Fault) => void): void {
    if (reason === undefined) handlers.push(handler);
    else handler(reason);
  }

  function extend(limitMs: number | undefined): void {
    clearTimeout(timer);
    if (limitMs === undefined) return;
    timer = setTimeout(() => end(new Fault("timeout", `${what} took longer than ${limitMs} ms`)), limitMs);
  }

  function createSignal(): AbortController {
    const made = new AbortController();
    onEnd((fault) => made.abort(fault));
    return made;
  }

  const leave = onAbort(outer, () => end(new Fault("aborted", `${what} was given up`, { cause: outer?.reason })));
  extend(ms);
  return {
    get signal() {
      controller ??= createSignal();
      return controller.signal;
    },
    onEnd,
    extend,
    clear: () => {
      extend(undefined);
      leave();
    },
  };
}
