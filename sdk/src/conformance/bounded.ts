// One call of a provider with a time limit: a call that hangs is reported, not awaited. The error names the code that
// threw it.

export interface Bound {
  /** For messages. */
  readonly what: string;
  readonly limitMs: number;
  readonly onOver?: () => void;
}

/** The signal fires at the limit, and the caller continues whether the call obeys it or not. */
export async function bounded<T>(
  { what, limitMs, onOver }: Bound,
  call: (signal: AbortSignal) => T | Promise<T>,
): Promise<T> {
  const stop = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  const over = new Promise<never>((_, reject) => {
    // Not AbortSignal.timeout: its timer lets a process end that waits for nothing else.
    timer = setTimeout(() => {
      stop.abort();
      onOver?.();
      reject(new TypeError(`${what} took longer than ${limitMs} ms`));
    }, limitMs);
  });
  try {
    return await Promise.race([over, explained(what, () => call(stop.signal))]);
  } finally {
    clearTimeout(timer);
  }
}

async function explained<T>(what: string, call: () => T | Promise<T>): Promise<T> {
  try {
    return await call();
  } catch (failure) {
    throw new TypeError(`${what} threw: ${wordsOf(failure)}`);
  }
}

/** With its cause: `fetch failed` alone says nothing. */
export function wordsOf(failure: unknown): string {
  if (!(failure instanceof Error)) return String(failure);
  const { message, cause } = failure;
  return cause instanceof Error ? `${message}: ${wordsOf(cause)}` : message;
}
