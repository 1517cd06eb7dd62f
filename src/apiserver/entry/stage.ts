// Step 1, enter: the target is parsed once, here, and every later stage reads the result.

import type { Answer, Call, Next } from "../call.ts";
import { parseRequestInfo } from "./request-info.ts";
import { parseTarget } from "./target.ts";

export async function runEntry(call: Call, next: Next): Promise<Answer> {
  const { segments, query } = parseTarget(call.request.target);
  call.query = query;
  call.info = parseRequestInfo(call.request.method, segments, query);
  return next();
}
