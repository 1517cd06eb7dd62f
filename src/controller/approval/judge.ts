// The rules in written order → one verdict, and the trail that explains it. The first rule that does not pass decides;
// the rest are "not reached". All pass: the request is approved.

import { allow, assert, deny, noOpinion, type Verdict, wait } from "../../kernel/outcome/index.ts";
import type { ApprovalFacts, RequestFacts } from "./facts.ts";
import { bootstrapTokenId } from "./identity.ts";
import { keyIsStrongEnough } from "./rules/key-is-strong-enough.ts";
import { noNamesBesideTheSubject } from "./rules/no-names-beside-the-subject.ts";
import { nodeIsNotRegisteredYet } from "./rules/node-is-not-registered-yet.ts";
import { renewalIsByTheHolder } from "./rules/renewal-is-by-the-holder.ts";
import { requestParsesAndIsSigned } from "./rules/request-parses-and-is-signed.ts";
import { requesterMayAsk } from "./rules/requester-may-ask.ts";
import type { Finding, Rule } from "./rules/rule.ts";
import { signerIsServed } from "./rules/signer-is-served.ts";
import { subjectIsANode } from "./rules/subject-is-a-node.ts";
import { usagesAreClientOnly } from "./rules/usages-are-client-only.ts";

export const APPROVAL_RULES: readonly Rule<ApprovalFacts>[] = [
  signerIsServed,
  requestParsesAndIsSigned,
  requesterMayAsk,
  subjectIsANode,
  usagesAreClientOnly,
  noNamesBesideTheSubject,
  keyIsStrongEnough,
  nodeIsNotRegisteredYet,
  renewalIsByTheHolder,
];

/** What a signer promises of every certificate, whoever approved the request: the rules about the request alone. */
export const SIGNER_RULES: readonly Rule<RequestFacts>[] = [
  requestParsesAndIsSigned,
  subjectIsANode,
  usagesAreClientOnly,
  noNamesBesideTheSubject,
  keyIsStrongEnough,
];

export interface TrailEntry {
  readonly rule: string;
  readonly outcome: "pass" | "deny" | "wait" | "no-opinion" | "not-reached";
  readonly note?: string;
}

export interface Judgement {
  readonly verdict: Verdict;
  /** One entry per rule, in the order of the rules. */
  readonly trail: readonly TrailEntry[];
}

export function judgeApproval(facts: ApprovalFacts): Judgement {
  const { requester, request } = facts;
  const subject = request.kind === "Readable" ? request.request.subject.commonName : undefined;
  return judgeInOrder(APPROVAL_RULES, facts, {
    reason: bootstrapTokenId(requester) === undefined ? "NodeMayRenew" : "NodeMayJoin",
    message: `all ${APPROVAL_RULES.length} rules hold: ${requester.username} may have a certificate for ${subject ?? ""}`,
  });
}

export function judgeRequest(facts: RequestFacts): Judgement {
  return judgeInOrder(SIGNER_RULES, facts, {
    reason: "RequestIsGood",
    message: "the request keeps the signer's rules",
  });
}

interface Approval {
  readonly reason: string;
  readonly message: string;
}

function judgeInOrder<Facts>(rules: readonly Rule<Facts>[], facts: Facts, approval: Approval): Judgement {
  const trail: TrailEntry[] = [];
  for (const [index, { id, judge }] of rules.entries()) {
    const finding = judge(facts);
    trail.push(entryOf(id, finding));
    if (finding.kind !== "Pass") {
      const rest = rules.slice(index + 1).map((rule): TrailEntry => ({ rule: rule.id, outcome: "not-reached" }));
      return { verdict: verdictOf(id, finding), trail: [...trail, ...rest] };
    }
  }
  const last = rules.at(-1);
  assert(last !== undefined, "a judgement needs rules: without any, everything would be approved");
  return { verdict: allow({ rule: last.id, ...approval }), trail };
}

/**
 * Messages repeat what the requester sent, shortened: they go into a condition, an annotation, an Event (1 KB at most)
 * and a log line, and nobody shall fill those with a name of 60 KB.
 */
const MESSAGE_MAX_CHARACTERS = 400;

function shorten(text: string): string {
  return text.length <= MESSAGE_MAX_CHARACTERS ? text : `${text.slice(0, MESSAGE_MAX_CHARACTERS)}…`;
}

const OUTCOMES = { Pass: "pass", Deny: "deny", Wait: "wait", NoOpinion: "no-opinion" } as const;

function entryOf(rule: string, finding: Finding): TrailEntry {
  const note = finding.kind === "Pass" ? finding.note : finding.message;
  return { rule, outcome: OUTCOMES[finding.kind], ...(note === undefined ? {} : { note: shorten(note) }) };
}

function verdictOf(rule: string, finding: Exclude<Finding, { kind: "Pass" }>): Verdict {
  const said = { rule, reason: finding.reason, message: shorten(finding.message) };
  switch (finding.kind) {
    case "Deny":
      return deny(said);
    case "NoOpinion":
      return noOpinion(said);
    case "Wait":
      return wait(said, finding.retryAfterMs);
  }
}
