// Step 4, admit: the plugins in order. Those of phase `before` see what the client sent, then the kind prepares and
// validates, then those of phase `after` see the result; this order decides which of several mistakes the client is told.

import type { Deny } from "../../kernel/outcome/index.ts";
import type { Answer, Attempt, Call, Next, Parts } from "../call.ts";
import { keyOf } from "../storage/key.ts";
import { certificateApproval, certificateSigning, certificateSubjectRestriction } from "./certificates.ts";
import { namespaceLifecycle } from "./namespace-lifecycle.ts";
import { nodeRestriction } from "./node-restriction.ts";
import type { Plugin, Questions } from "./plugin.ts";
import { rbacEscalation } from "./rbac-escalation.ts";

export const PLUGINS: readonly Plugin[] = [
  namespaceLifecycle,
  nodeRestriction,
  rbacEscalation,
  certificateApproval,
  certificateSigning,
  certificateSubjectRestriction,
];

export async function runAdmission(call: Call, next: Next, parts: Parts): Promise<Answer> {
  const questions: Questions = {
    authorize: parts.authorizer.authorize,
    get: (resource, name) => parts.storage.get(keyOf(resource, { name }))?.object,
    rbac: parts.rbac,
  };
  const review = (phase: Plugin["phase"]) => (attempt: Attempt) => firstRefusal(phase, attempt, questions);
  call.reviews = { before: review("before"), after: review("after") };
  return next();
}

function firstRefusal(phase: Plugin["phase"], attempt: Attempt, questions: Questions): Deny | undefined {
  for (const plugin of PLUGINS) {
    const refusal = plugin.phase === phase ? plugin.judge(attempt, questions) : undefined;
    if (refusal !== undefined) return refusal;
  }
  return undefined;
}
