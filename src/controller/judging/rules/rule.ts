// The shape of a rule of approval: what every rule has (kernel/outcome), the reasons it can give, and whether it may be
// switched off. The words in which a rule answers come from here too, so that a rule's file has one import for them.

import { type Finding, type Rule as OutcomeRule, refuse } from "../../../kernel/outcome/index.ts";
import type { CertificateRequest } from "../../../kernel/x509/index.ts";
import type { RequestFacts } from "../facts.ts";

export { RETRY_UNREAD_MS } from "../../../attestation/rules/index.ts";
export { type Finding, notMine, notYet, pass, refuse } from "../../../kernel/outcome/index.ts";

export interface Rule<Facts> extends OutcomeRule<Facts> {
  /** Every token that the rule can give as a reason; docs/rules.md explains each, and a test compares the two. */
  readonly reasons: readonly string[];
  /** Where kube-controller-manager is more lenient: then an operator may switch the rule off. */
  readonly isStricter?: true;
  /** Its refusal is a denial whatever the signer, and also where a policy only records. */
  readonly isBinding?: true;
}

/** The reasons of a request that cannot be read: every rule that needs the request can give them. */
export const UNREADABLE_REASONS: readonly string[] = ["RequestIsTooLarge", "RequestIsUnreadable"];

/**
 * A judge that needs the parsed request. An unreadable request is refused here, in every such rule and not only in the
 * first: no rule may rely on another having run before it.
 */
export function withRequest<Facts extends RequestFacts>(
  judge: (request: CertificateRequest, facts: Facts) => Finding,
): (facts: Facts) => Finding {
  return (facts) => {
    const reading = facts.request;
    return reading.kind === "Readable" ? judge(reading.request, facts) : refuse(reading.reason, reading.message);
  };
}

/**
 * What another program or an operator must do first. A change of it brings the request back; this is for changes that
 * no watch tells.
 */
export const RETRY_SLOWLY_MS = 60_000;
