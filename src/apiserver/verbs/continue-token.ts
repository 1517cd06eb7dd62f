// The continue token of a paged list: base64url of {"v","rv","start"}. Opaque to clients, and untrusted when it comes
// back.

import { encodeBase64Url, encodeUtf8, parseBase64Url, parseUtf8 } from "../../kernel/bytes/index.ts";
import { isFault } from "../../kernel/outcome/index.ts";
import { badRequest } from "../status/status.ts";

const VERSION = "meta.k8s.io/v1";
/** Enough for a key and a number. */
const MAX_TOKEN_CHARACTERS = 4_096;

/** Instead of a revision: go on with the current state, whatever the pages before have shown. */
const LATEST = -1;

interface Continuation {
  /** The revision at which all pages are read; absent: the current one. */
  readonly revision?: number | undefined;
  /** The key after which the next page starts, without the prefix of the list. */
  readonly after: string;
}

export function encodeContinue({ revision = LATEST, after }: Continuation): string {
  return encodeBase64Url(encodeUtf8(JSON.stringify({ v: VERSION, rv: revision, start: `${after}\u0000` })));
}

export function parseContinue(token: string): Continuation {
  const value = token.length > MAX_TOKEN_CHARACTERS ? undefined : decode(token);
  const { v, rv, start } = (value ?? {}) as { v?: unknown; rv?: unknown; start?: unknown };
  const isWhole = v === VERSION && typeof rv === "number" && Number.isSafeInteger(rv) && typeof start === "string";
  if (!isWhole || (rv < 1 && rv !== LATEST) || !start.endsWith("\u0000"))
    throw badRequest("invalid continue token: continue key is not valid");
  return { revision: rv === LATEST ? undefined : rv, after: start.slice(0, -1) };
}

function decode(token: string): unknown {
  try {
    return JSON.parse(parseUtf8(parseBase64Url(token)));
  } catch (error) {
    if (isFault(error) || error instanceof SyntaxError) return undefined;
    throw error;
  }
}
