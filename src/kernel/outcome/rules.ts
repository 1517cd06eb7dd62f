// Rules and how they are judged: each says what must hold and finds whether it does; judged in written order, the first
// that does not pass decides, and the trail says so of each. A rule says what it found about its own sentence; the
// judge puts the rule's id on it, so a rule cannot speak in another's name.
import { assert } from "./fault.ts";
import { allow, deny, noOpinion, type Verdict, wait } from "./verdict.ts";

export type Finding =
  | { readonly kind: "Pass"; readonly note?: string }
  | { readonly kind: "Deny" | "NoOpinion"; readonly reason: string; readonly message: string }
  | { readonly kind: "Wait"; readonly reason: string; readonly message: string; readonly retryAfterMs: number };

export interface Rule<Facts> {
  /** The file's name: what must hold. */
  readonly id: string;
  readonly sentence: string;
  readonly judge: (facts: Facts) => Finding;
}

export function pass(note?: string): Finding {
  return note === undefined ? { kind: "Pass" } : { kind: "Pass", note };
}

/** `reason` is named for what was seen, in one word: it becomes the reason of a condition, an Event and a metric. */
export function refuse(reason: string, message: string): Finding {
  return { kind: "Deny", reason, message };
}

export function notMine(reason: string, message: string): Finding {
  return { kind: "NoOpinion", reason, message };
}

export function notYet(reason: string, message: string, retryAfterMs: number): Finding {
  return { kind: "Wait", reason, message, retryAfterMs };
}

/** A thing that gather may not have been able to look at: "absent" and "not read" are different facts. */
export type Seen<T> =
  | { readonly kind: "NotRead"; readonly why: string }
  | { readonly kind: "Absent" }
  | { readonly kind: "Present"; readonly value: T };

export interface TrailEntry {
  readonly rule: string;
  /** `off`: the operator does not want the rule. */
  readonly outcome: "pass" | "deny" | "wait" | "no-opinion" | "not-reached" | "off";
  readonly note?: string;
}

export interface Judgement {
  readonly verdict: Verdict;
  /** One entry per rule, in the order of the rules. */
  readonly trail: readonly TrailEntry[];
}

/** The verdict when every rule passes. */
export interface Approval {
  readonly reason: string;
  readonly message: string;
}

export function judgeInOrder<Facts>(
  rules: readonly Rule<Facts>[],
  facts: Facts,
  { isOff, ...approval }: Approval & { readonly isOff?: (id: string) => boolean },
): Judgement {
  const trail: TrailEntry[] = [];
  for (const [index, { id, judge }] of rules.entries()) {
    if (isOff?.(id) === true) {
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

/**
 * Messages repeat what the requester sent, shortened: they go into a condition, an annotation, an Event (1 KB at most)
 * and a log line, which a name of 60 KB must not fill.
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
