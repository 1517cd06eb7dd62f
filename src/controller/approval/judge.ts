// The rules in written order → one verdict, and the trail that explains it. The first rule that does not pass decides;
// the rest are "not reached". All pass: the request is approved.

import { allow, assert, deny, noOpinion, type Verdict, wait } from "../../kernel/outcome/index.ts";
import { isBuiltInSigner } from "../signers.ts";
import { chainOf, STRICTER_RULES, signerRulesOf } from "./chains.ts";
import type { ApprovalFacts, RequestFacts } from "./facts.ts";
import { isRenewal } from "./identity.ts";
import type { Finding, Rule } from "./rules/rule.ts";

export interface TrailEntry {
  readonly rule: string;
  readonly outcome: "pass" | "deny" | "wait" | "no-opinion" | "not-reached" | "off";
  readonly note?: string;
}

export interface Judgement {
  readonly verdict: Verdict;
  /** One entry per rule, in the order of the rules. */
  readonly trail: readonly TrailEntry[];
  /** The policy by which it was judged. */
  readonly policy?: { readonly name: string; readonly mode: "Shadow" | "Enforce" };
}

export function judgeApproval(facts: ApprovalFacts): Judgement {
  const { policy, signerName } = facts;
  const chain = chainOf(signerName, policy);
  if (chain === undefined) return leftToPeople(signerName);
  const judgement = judgeInOrder(chain, facts, approvalOf(facts, chain.length));
  return policy === undefined ? judgement : { ...judgement, policy: { name: policy.name, mode: policy.mode } };
}

/** Certificates of people and programs: only a person knows whether they may have one. */
function leftToPeople(signerName: string): Judgement {
  const message = `requests for ${signerName} are approved by people`;
  return { verdict: noOpinion({ rule: "signer-is-served", reason: "ApprovedByPeople", message }), trail: [] };
}

export function judgeRequest(facts: RequestFacts): Judgement {
  return judgeInOrder(signerRulesOf(facts.signerName), facts, {
    reason: "RequestIsGood",
    message: "the request keeps the signer's rules",
  });
}

interface Approval {
  readonly reason: string;
  readonly message: string;
}

/** Tools look for these words: they are kube-controller-manager's where we stand in its place. */
const AUTO_APPROVED = "AutoApproved";
const SELF_MESSAGE = "Auto approving self kubelet client certificate after SubjectAccessReview.";
const NODE_MESSAGE = "Auto approving kubelet client certificate after SubjectAccessReview.";

function approvalOf(facts: ApprovalFacts, rules: number): Approval {
  const { requester, request, policy, signerName, access } = facts;
  if (policy === undefined && isBuiltInSigner(signerName)) {
    const isSelf = access.kind === "Present" && access.value.right === "selfnodeclient";
    return { reason: AUTO_APPROVED, message: isSelf ? SELF_MESSAGE : NODE_MESSAGE };
  }
  const subject = request.kind === "Readable" ? request.request.subject.commonName : undefined;
  const isNext = request.kind === "Readable" && isRenewal(request.request, requester);
  const by = policy === undefined ? "" : ` of policy ${policy.name}`;
  return {
    reason: isNext ? "NodeMayRenew" : "NodeMayJoin",
    message: `all ${rules} rules${by} hold: ${requester.username} may have a certificate for ${subject ?? ""}`,
  };
}

function judgeInOrder<Facts extends RequestFacts>(
  rules: readonly Rule<Facts>[],
  facts: Facts,
  approval: Approval,
): Judgement {
  const trail: TrailEntry[] = [];
  for (const [index, { id, judge }] of rules.entries()) {
    if (isOff(id, facts)) {
      trail.push({ rule: id, outcome: "off" });
      continue;
    }
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

/** Only a stricter rule can be switched off, whatever a setting says. */
function isOff(id: string, { switchedOff }: RequestFacts): boolean {
  return switchedOff?.includes(id) === true && STRICTER_RULES.includes(id);
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
