// Step 1, enter: the target is parsed once, here, and every later stage reads the result.

import type { HttpRequest } from "../../platform/http/index.ts";
import { parseRequestInfo, type RequestInfo } from "./request-info.ts";
import { parseTarget, type Query } from "./target.ts";

/** What this stage reads and fills of a call. The type Call is built on this folder and cannot be named here. */
interface Entering {
  readonly request: Pick<HttpRequest, "method" | "target">;
  query: Query;
  info: RequestInfo;
}

export async function runEntry<Answer>(call: Entering, next: () => Promise<Answer>): Promise<Answer> {
  const { segments, query } = parseTarget(call.request.target);
  call.query = query;
  call.info = parseRequestInfo(call.request.method, segments, query);
  return next();
}
