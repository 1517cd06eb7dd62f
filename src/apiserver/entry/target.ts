// The request target -> decoded path segments and query. Strict where proxies and servers have disagreed in the past:
// the path is split before it is decoded, and a segment that decodes to a dot segment, a slash or a control character
// is refused instead of normalised. differs from upstream: Go decodes first, so `%2f` there makes another segment.

import { Fault } from "../../kernel/outcome/index.ts";
import { parseQuery, type Query } from "./query.ts";

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
