// The shape of a rule: its id, the sentence that must hold, and a pure judge. A rule says what it found about its own
// sentence; judge.ts puts the rule's id on it, so a rule cannot speak in another's name.

import type { CertificateRequest } from "../../../kernel/x509/index.ts";
import type { RequestFacts } from "../facts.ts";

export type Finding =
  | { readonly kind: "Pass"; readonly note?: string }
  | { readonly kind: "Deny" | "NoOpinion"; readonly reason: string; readonly message: string }
  | { readonly kind: "Wait"; readonly reason: string; readonly message: string; readonly retryAfterMs: number };

export interface Rule<Facts> {
  /** The file's name: what must hold. */
  readonly id: string;
  readonly sentence: string;
  /** Every token that the rule can give as a reason; docs/rules.md explains each, and a test compares the two. */
  readonly reasons: readonly string[];
  /** Where kube-controller-manager is more lenient: then an operator may switch the rule off. */
  readonly isStricter?: true;
  readonly judge: (facts: Facts) => Finding;
}

export function pass(note?: string): Finding {
  return note === undefined ? { kind: "Pass" } : { kind: "Pass", note };
}

/** `reason` is named for what was seen, in one word, because it becomes the reason of a condition and of an Event. */
export function refuse(reason: string, message: string): Finding {
  return { kind: "Deny", reason, message };
}

export function notMine(reason: string, message: string): Finding {
  return { kind: "NoOpinion", reason, message };
}

export function notYet(reason: string, message: string, retryAfterMs: number): Finding {
  return { kind: "Wait", reason, message, retryAfterMs };
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

/** Informers fill in seconds, and what changes brings the request back by itself: looking again costs nothing. */
export const RETRY_UNREAD_MS = 2_000;
/** What somebody else must do first: a change of it brings the request back, this is for a change that nobody told us of. */
export const RETRY_SLOWLY_MS = 60_000;
