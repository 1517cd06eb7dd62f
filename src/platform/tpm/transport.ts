// One way to a TPM. A transport carries whole messages, one at a time, and knows nothing of what they say.

import { Fault } from "../../kernel/outcome/index.ts";

export interface TpmTransport {
  /** For messages: a device's path, a socket's address. */
  readonly address: string;
  /**
   * One command out, one response back. After any failure the transport is not usable any more: an answer that comes
   * late would be taken for the answer to the next command.
   */
  exchange(command: Uint8Array, options: ExchangeOptions): Promise<Uint8Array>;
  /** May be called twice. */
  close(): Promise<void>;
}

export interface ExchangeOptions {
  readonly timeoutMs: number;
  readonly signal?: AbortSignal | undefined;
}

// A wait that ends: with its result, after its time, or when the caller stops.

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
