// The request target -> decoded path segments and query. Strict where proxies and servers have disagreed in the past:
// the path is split before it is decoded, and a segment that decodes to a dot segment, a slash or a control character
// is refused instead of normalised. differs from upstream: Go decodes first, so `%2f` there makes another segment.

import { Fault } from "../../kernel/outcome/index.ts";

/** Names are at most 253 characters in practice; a CSR name of 1000 characters is accepted by Kubernetes. */
const MAX_PATH_CHARACTERS = 8_192;

interface Target {
  readonly segments: readonly string[];
  readonly query: Query;
}

export function parseTarget(target: string): Target {
  const mark = target.indexOf("?");
  const path = mark < 0 ? target : target.slice(0, mark);
  if (path.length > MAX_PATH_CHARACTERS) {
    throw new Fault("limit-exceeded", `the request path is longer than ${MAX_PATH_CHARACTERS} characters`);
  }
  if (!path.startsWith("/")) throw new Fault("malformed", "the request target must start with a slash");
  return {
    segments: path.slice(1).split("/").map(decodeSegment),
    query: parseQuery(mark < 0 ? "" : target.slice(mark + 1)),
  };
}

function decodeSegment(encoded: string): string {
  let segment: string;
  try {
    segment = decodeURIComponent(encoded);
  } catch (cause) {
    throw new Fault("malformed", "the request path is not valid percent-encoded UTF-8", { cause });
  }
  if (segment === "." || segment === "..")
    throw new Fault("malformed", "the request path may not contain dot segments");
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is refused
  if (/[/\u0000-\u001f\u007f]/.test(segment)) {
    throw new Fault("malformed", "the request path may not contain encoded slashes or control characters");
  }
  return segment;
}

// The query of a request. Only the first value of a parameter counts, for authorizers and verbs alike.

/** Kubernetes knows some twenty parameters. */
const MAX_PAIRS = 100;

export interface Query {
  first(name: string): string | undefined;
  has(name: string): boolean;
}

export function parseQuery(text: string): Query {
  const values = new Map<string, string>();
  let pairs = 0;
  for (const [name, value] of new URLSearchParams(text)) {
    pairs += 1;
    if (pairs > MAX_PAIRS) throw new Fault("limit-exceeded", `the query has more than ${MAX_PAIRS} parameters`);
    if (!values.has(name)) values.set(name, value);
  }
  return { first: (name) => values.get(name), has: (name) => values.has(name) };
}

export const NO_QUERY: Query = parseQuery("");

/** As Kubernetes reads a boolean parameter: absent, `false` and `0` are false, everything else is true. */
export function isTrue(value: string | undefined): boolean {
  return value !== undefined && value.toLowerCase() !== "false" && value !== "0";
}

/** A count; less than one means none. Fault `malformed` when it is not a whole number. */
export function countParameter(query: Query, name: string): number | undefined {
  const text = query.first(name);
  if (text === undefined || text === "") return undefined;
  if (!/^-?\d{1,15}$/.test(text)) throw new Fault("malformed", `query parameter ${name} must be a whole number`);
  return Number(text) > 0 ? Number(text) : undefined;
}
