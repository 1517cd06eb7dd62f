// A fault is an accident: bytes that do not parse, a server that is away, a lost race. Callers branch on `code`, never
// on text or class, so that two copies of this module agree. It knows nothing of HTTP or exit codes: the three edges
// (apiserver/reply, cli/terminal, controller/loop) translate it, each with a record that lists every code.

/** Every code, in the order of docs/errors.md; a test compares the two. */
export const FAULT_CODES = [
  "malformed",
  "limit-exceeded",
  "unsupported",
  "untrusted",
  "unauthorized",
  "forbidden",
  "not-found",
  "already-exists",
  "conflict",
  "invalid",
  "expired",
  "too-many-requests",
  "unavailable",
  "timeout",
  "aborted",
  "denied",
  "failed-request",
  "bad-config",
  "locked",
  "io-failed",
  "internal",
] as const;

export type FaultCode = (typeof FAULT_CODES)[number];

/** Codes that may succeed when the same thing is tried again. */
const RETRYABLE: ReadonlySet<FaultCode> = new Set([
  "conflict",
  "expired",
  "too-many-requests",
  "unavailable",
  "timeout",
  "locked",
]);

/** Safe to print and log: names, numbers, expectations. Never a token, a key or a whole certificate. */
export type FaultDetail = Readonly<Record<string, string | number | boolean | readonly string[]>>;

interface FaultOptions {
  readonly cause?: unknown;
  readonly detail?: FaultDetail;
  readonly retryable?: boolean;
}

export class Fault extends Error {
  override readonly name = "Fault";
  readonly code: FaultCode;
  readonly retryable: boolean;
  readonly detail: FaultDetail;

  constructor(code: FaultCode, message: string, options: FaultOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = code;
    this.retryable = options.retryable ?? RETRYABLE.has(code);
    this.detail = options.detail ?? {};
  }
}

export function isFault(value: unknown, code?: FaultCode): value is Fault {
  if (!(value instanceof Error) || value.name !== "Fault") return false;
  return code === undefined || (value as Fault).code === code;
}

// A bug is an assertion: it ends the process with a stack, because going on would act on an unforeseen state.

export class Bug extends Error {
  override readonly name = "Bug";
}

export function assert(condition: unknown, what: string): asserts condition {
  if (!condition) throw new Bug(what);
}
