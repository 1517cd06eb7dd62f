// Step 4, admit: the plugins in order. Those of phase `before` see what the client sent, then the kind prepares and
// validates, then those of phase `after` see the result; this order decides which of several mistakes the client
// learns.

import type { Authorizer } from "../../api/access/index.ts";
import type { RbacObjects } from "../authorization/rbac.ts";
import type { AdmissionRefusal, Answer, Attempt, Call, Next } from "../call.ts";
import { type RandomSource, randomSuffix } from "../random.ts";
import { keyOf, prefixOf } from "../storage/key.ts";
import type { Storage } from "../storage/storage.ts";
import { certificateApproval, certificateSigning, certificateSubjectRestriction } from "./certificates.ts";
import { csrGuard } from "./guard.ts";
import { namespaceLifecycle } from "./namespace-lifecycle.ts";
import { nodeRestriction } from "./node-restriction/index.ts";
import type { Plugin, Questions } from "./plugin.ts";
import { defaultTolerationSeconds, priority } from "./pod-defaults.ts";
import { rbacEscalation } from "./rbac-escalation.ts";
import { runtimeClass } from "./runtime-class.ts";
import { serviceAccount } from "./service-account.ts";
import { claimResize, defaultStorageClass } from "./storage-class.ts";

export const PLUGINS: readonly Plugin[] = [
  namespaceLifecycle,
  serviceAccount,
  nodeRestriction,
  priority,
  defaultTolerationSeconds,
  defaultStorageClass,
  claimResize,
  runtimeClass,
  rbacEscalation,
  certificateApproval,
  certificateSigning,
  certificateSubjectRestriction,
  csrGuard,
];

export interface AdmissionParts extends RandomSource {
  readonly storage: Storage;
  readonly authorizer: Authorizer;
  /** The current RBAC objects: escalation checks need them beside the authorizer. */
  readonly rbac: RbacObjects;
  /** The admission guard of certificate requests is on. */
  readonly isGuarded?: boolean | undefined;
}

export async function runAdmission(call: Call, next: Next, parts: AdmissionParts): Promise<Answer> {
  const questions: Questions = {
    authorize: parts.authorizer.authorize,
    // A name with a slash comes from a body that is not validated yet; nothing is stored under it.
    get: (resource, name, namespace) =>
      name.includes("/") ? undefined : parts.storage.get(keyOf(resource, { namespace, name }))?.object,
    list: (resource) => parts.storage.list({ prefix: prefixOf(resource) }).items.map(({ object }) => object),
    suffix: () => randomSuffix(parts),
    rbac: parts.rbac,
    isGuarded: parts.isGuarded,
  };
  const review = (phase: Plugin["phase"]) => (attempt: Attempt) => firstRefusal(phase, attempt, questions);
  const change = (attempt: Attempt) => changed(attempt, questions);
  call.reviews = { change, before: review("before"), after: review("after") };
  return next();
}

function changed(attempt: Attempt, questions: Questions): Attempt {
  let object = attempt.object;
  for (const plugin of PLUGINS) object = plugin.change?.({ ...attempt, object }, questions) ?? object;
  return { ...attempt, object };
}

function firstRefusal(phase: Plugin["phase"], attempt: Attempt, questions: Questions): AdmissionRefusal | undefined {
  for (const plugin of PLUGINS) {
    const refusal = plugin.phase === phase ? plugin.judge(attempt, questions) : undefined;
    if (refusal !== undefined) return refusal;
  }
  return undefined;
}
