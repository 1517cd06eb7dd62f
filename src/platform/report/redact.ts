// Nothing secret reaches a log, in whichever line: values under secret names are replaced at any depth, and
// strings that look like a bootstrap token, a JWT or a private key are blanked wherever they stand.

const SECRET_WORDS: ReadonlySet<string> = new Set([
  "token",
  "tokens",
  "secret",
  "secrets",
  "key",
  "keys",
  "password",
  "passwords",
  "authorization",
]);

/** Say how a value is written, not what it is. */
const FORM_WORDS: ReadonlySet<string> = new Set(["data", "pem", "value"]);

const REDACTED = "[redacted]";

/** Log fields are small; what is nested deeper than this was not meant for a log. */
const MAX_DEPTH = 8;
const TOO_DEEP = "[too deep]";

const BOOTSTRAP_TOKEN = /\b([a-z0-9]{6})\.[a-z0-9]{16}\b/g;
const JWT = /\beyJ[\w-]+\.[\w-]+\.[\w-]*/g;
const PRIVATE_KEY = /-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]*?(?:-----END [A-Z ]*PRIVATE KEY-----|$)/g;

export function redactFields(fields: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return redactRecord(fields, 0);
}

/** The id half of a bootstrap token is public and says which token was meant, so it stays. */
export function redactText(text: string): string {
  return text.replace(PRIVATE_KEY, REDACTED).replace(JWT, REDACTED).replace(BOOTSTRAP_TOKEN, `$1.${REDACTED}`);
}

/**
 * `bootstrapToken`, `client-key-data` and `X-Auth-Token` are secret; `tokenId` and `secretName` are not: the last word
 * counts.
 */
export function isSecretName(name: string): boolean {
  const words = name.split(/[^a-zA-Z]+|(?<=[a-z])(?=[A-Z])/).map((word) => word.toLowerCase());
  const last = words.findLast((word) => word !== "" && !FORM_WORDS.has(word));
  return last !== undefined && SECRET_WORDS.has(last);
}

function redactRecord(fields: Readonly<Record<string, unknown>>, depth: number): Record<string, unknown> {
  const safe: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(fields)) {
    safe[name] = isSecretName(name) ? REDACTED : redactValue(value, depth + 1);
  }
  return safe;
}

function redactValue(value: unknown, depth: number): unknown {
  if (typeof value === "string") return redactText(value);
  if (typeof value === "bigint") return value.toString();
  if (typeof value !== "object" || value === null) return value;
  if (depth > MAX_DEPTH) return TOO_DEEP;
  if (value instanceof Error) return redactError(value, depth);
  if (ArrayBuffer.isView(value)) return `[${value.byteLength} bytes]`;
  if (Array.isArray(value)) return value.map((item) => redactValue(item, depth + 1));
  return redactRecord(value as Record<string, unknown>, depth);
}

/**
 * A Fault is a foreseen accident, so its code says enough; any other error is a surprise and keeps its
 * stack.
 */
function redactError(error: Error, depth: number): Record<string, unknown> {
  const named = error as Error & { readonly code?: unknown; readonly detail?: unknown };
  const isFault = error.name === "Fault";
  return {
    message: redactText(error.message),
    ...(typeof named.code === "string" ? { code: named.code } : { type: error.name }),
    ...(isFault && named.detail !== undefined ? { detail: redactValue(named.detail, depth + 1) } : {}),
    ...(!isFault && error.stack !== undefined ? { stack: redactText(error.stack) } : {}),
    ...(error.cause === undefined ? {} : { cause: redactValue(error.cause, depth + 1) }),
  };
}
