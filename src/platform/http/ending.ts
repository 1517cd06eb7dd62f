// The end of one exchange: the peer went away, or the listener closes. Most requests are answered before anybody asks, so the
// signal and the fault it carries are made for those that do.

import { Fault } from "../../kernel/outcome/index.ts";

export interface Ending {
  /** The same at every call; it has fired already when the end came before. */
  signal(): AbortSignal;
  hasCome(): boolean;
  /** The first one counts. */
  come(why: string): void;
}

export function createEnding(): Ending {
  let reason: string | undefined;
  let controller: AbortController | undefined;
  return {
    signal: () => {
      controller ??= new AbortController();
      if (reason !== undefined && !controller.signal.aborted) controller.abort(new Fault("aborted", reason));
      return controller.signal;
    },
    hasCome: () => reason !== undefined,
    come: (why) => {
      reason ??= why;
      if (controller?.signal.aborted === false) controller.abort(new Fault("aborted", reason));
    },
  };
}
