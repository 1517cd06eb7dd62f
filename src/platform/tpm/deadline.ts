// A wait that ends: with its result, after its time, or when the caller stops.

import { Fault } from "../../kernel/outcome/index.ts";
import type { ExchangeOptions } from "./transport.ts";

/** `act` gets a function to give up with; whatever settles first counts, and nothing is left running. */
export function withDeadline<T>(
  what: string,
  { timeoutMs, signal }: ExchangeOptions,
  act: (settle: { resolve: (value: T) => void; reject: (failure: unknown) => void }) => void,
): Promise<T> {
  return new Promise<T>((resolve, reject) => {
    const stop = () => fail(new Fault("aborted", `stopped while waiting for ${what}`));
    const timer = setTimeout(() => fail(late(what, timeoutMs)), timeoutMs);
    const release = () => {
      clearTimeout(timer);
      signal?.removeEventListener("abort", stop);
    };
    const fail = (failure: unknown) => {
      release();
      reject(failure);
    };
    const succeed = (value: T) => {
      release();
      resolve(value);
    };
    signal?.addEventListener("abort", stop, { once: true });
    if (signal?.aborted === true) stop();
    else act({ resolve: succeed, reject: fail });
  });
}

function late(what: string, timeoutMs: number): Fault {
  return new Fault("timeout", `no answer from ${what} within ${timeoutMs} ms`, { detail: { timeoutMs } });
}
