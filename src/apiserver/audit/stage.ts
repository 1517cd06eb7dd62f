// Records each request and how it ended. After authentication, so that the user is known, and before every stage that
// may refuse the request.

import type { Answer, Call, Next } from "../call.ts";
import type { Audit } from "./recorder.ts";

export interface AuditParts {
  readonly audit: Audit;
}

export async function runAudit(call: Call, next: Next, parts: AuditParts): Promise<Answer> {
  const recording = parts.audit.begin(call);
  if (recording === undefined) return next();
  try {
    const answer = await next();
    recording.answered(answer);
    return answer;
  } catch (error) {
    recording.failed(error);
    throw error;
  }
}
