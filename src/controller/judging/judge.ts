// The rules in written order → one verdict, and the trail that explains it. The first rule that does not pass decides;
// the rest are "not reached". All pass: the request is approved.

import {
  type Approval,
  judgeInOrder,
  noOpinion,
  type Judgement as OutcomeJudgement,
} from "../../kernel/outcome/index.ts";
import { isBuiltInSigner } from "../signers.ts";
import { BINDING_RULES, chainOf, NAME_RULES, STRICTER_RULES, signerRulesOf } from "./chains.ts";
import type { ApprovalFacts, RequestFacts } from "./facts.ts";
import { isRenewal } from "./facts.ts";

export interface Judgement extends OutcomeJudgement {
  /** The policy by which it was judged. */
  readonly policy?: { readonly name: string; readonly mode: "Shadow" | "Enforce" };
  /** A refusal that is written as a denial whatever the signer, and also where a policy only records. */
  readonly isBinding?: boolean;
  /** For the audit trail alone: what readers of the request must not learn. */
  readonly audited?: Readonly<Record<string, unknown>> | undefined;
}

export function judgeApproval(facts: ApprovalFacts): Judgement {
  const { policy, signerName } = facts;
  const chain = chainOf(signerName, policy);
  if (chain === undefined) return leftToPeople(signerName);
  const judged = judgeInOrder(chain, facts, { ...approvalOf(facts, chain.length), isOff: isOff(facts) });
  const judgement = { ...judged, isBinding: BINDING_RULES.includes(judged.verdict.rule) };
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
    isOff: isOff(facts),
  });
}

/** Of the names of a serving request only what holds for every node, however it proved what it is. */
export function judgeNames(facts: ApprovalFacts): Judgement {
  const { policy } = facts;
  const judgement = judgeInOrder(NAME_RULES, facts, {
    reason: "NamesAreGood",
    message: "the names are such that a node can have",
    isOff: isOff(facts),
  });
  return policy === undefined ? judgement : { ...judgement, policy: { name: policy.name, mode: policy.mode } };
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

/** Only a stricter rule can be switched off, whatever a setting says. */
function isOff({ switchedOff }: RequestFacts): (id: string) => boolean {
  return (id) => switchedOff?.includes(id) === true && STRICTER_RULES.includes(id);
}
