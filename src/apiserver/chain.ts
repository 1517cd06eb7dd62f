// The way of a request through this server, outermost stage first: the one place where the order is written.
// A request goes down the list and its answer comes back up, so reply, which turns every answer and every failure into
// HTTP, stands first. docs/journey.md walks the same list.

import { type AdmissionParts, runAdmission } from "./admission/stage.ts";
import { type AuditParts, runAudit } from "./audit/stage.ts";
import { runImpersonation } from "./authentication/impersonation.ts";
import { type AuthenticationParts, runAuthentication } from "./authentication/stage.ts";
import { type AuthorizationParts, runAuthorization } from "./authorization/stage.ts";
import type { Answer, Call, Next } from "./call.ts";
import { runEntry } from "./entry/stage.ts";
import { type LimitsParts, runLimits } from "./limits/stage.ts";
import { type ReplyParts, runReply } from "./reply/stage.ts";
import { runResources, runStorage, runWatching } from "./verbs/stages.ts";
import type { VerbParts } from "./verbs/stored-call.ts";

/**
 * Everything the stages use beside the call itself; made once, at the start of the server. Each stage names its own.
 */
export type Parts = ReplyParts &
  AuthenticationParts &
  AuditParts &
  LimitsParts &
  AuthorizationParts &
  AdmissionParts &
  VerbParts;

export interface Stage {
  readonly name: string;
  /** The folder where the stage lives; docs/journey.md names the same. */
  readonly path: string;
  readonly run: (call: Call, next: Next, parts: Parts) => Promise<Answer>;
}

export const STAGES: readonly Stage[] = [
  { name: "reply", path: "src/apiserver/reply", run: runReply },
  { name: "entry", path: "src/apiserver/entry", run: runEntry },
  { name: "authentication", path: "src/apiserver/authentication", run: runAuthentication },
  { name: "audit", path: "src/apiserver/audit", run: runAudit },
  { name: "impersonation", path: "src/apiserver/authentication/impersonation.ts", run: runImpersonation },
  { name: "limits", path: "src/apiserver/limits", run: runLimits },
  { name: "authorization", path: "src/apiserver/authorization", run: runAuthorization },
  { name: "admission", path: "src/apiserver/admission", run: runAdmission },
  { name: "resources", path: "src/apiserver/resources", run: runResources },
  { name: "storage", path: "src/apiserver/storage", run: runStorage },
  { name: "watching", path: "src/apiserver/watching", run: runWatching },
];

/** The stages that requests of this process itself pass: their user is known, and their answer needs no HTTP. */
export const INNER_STAGES: readonly Stage[] = STAGES.slice(STAGES.findIndex(({ name }) => name === "audit"));

export function runChain(call: Call, parts: Parts, stages: readonly Stage[] = STAGES): Promise<Answer> {
  const runFrom = async (at: number): Promise<Answer> => {
    const stage = stages[at];
    if (stage === undefined) return { kind: "text", status: 404, text: "404 page not found\n" };
    return stage.run(call, () => runFrom(at + 1), parts);
  };
  return runFrom(0);
}
