// The answer of every rule. A refusal is a value, never an exception, and "not yet" is an answer of its own:
// operators lose hours to requests that are pending without a reason anywhere.

/** What each answer carries: which rule spoke, a stable token for machines, a sentence for people. */
interface Said {
  readonly rule: string;
  readonly reason: string;
  readonly message: string;
}

export interface Allow extends Said {
  readonly kind: "Allow";
}

export interface Deny extends Said {
  readonly kind: "Deny";
}

/**
 * Nothing is wrong, something is missing. `retryAfterMs` is the latest moment to look again; a change may come sooner.
 */
export interface Wait extends Said {
  readonly kind: "Wait";
  readonly retryAfterMs: number;
}

/** The question is not this rule's business. */
export interface NoOpinion extends Said {
  readonly kind: "NoOpinion";
}

export type Verdict = Allow | Deny | Wait | NoOpinion;

export function allow(said: Said): Allow {
  return { kind: "Allow", ...said };
}

export function deny(said: Said): Deny {
  return { kind: "Deny", ...said };
}

export function wait(said: Said, retryAfterMs: number): Wait {
  return { kind: "Wait", ...said, retryAfterMs };
}

export function noOpinion(said: Said): NoOpinion {
  return { kind: "NoOpinion", ...said };
}
