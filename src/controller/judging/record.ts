// The judgement as text on the object: the annotation that `kubectl describe csr` shows and `countersign csr explain`
// turns into a table. No times in it: the same judgement is the same text, so nothing is written twice. Pure. The
// creator of a request can send such an annotation with it. So ours names the uid of its object, which is not known
// before the object is there; one that does not is no verdict, though it looks like one.

import { type CertificateSigningRequest, VERDICT_ANNOTATION } from "../../api/certificates/index.ts";
import type { TrailEntry, Verdict } from "../../kernel/outcome/index.ts";
import type { Judgement } from "./judge.ts";

/** A trail of some twenty rules is about 2 KB; all annotations of an object may have 256 KB. */
const RECORD_MAX_CHARACTERS = 65_536;

export interface RecordedVerdict {
  readonly verdict: Verdict["kind"];
  readonly rule: string;
  readonly reason: string;
  readonly message: string;
  /** Only with Wait: when it is looked at again at the latest. */
  readonly retryAfterMs?: number;
  /** The JoinPolicy by which it was judged. */
  readonly policy?: string;
  /** Present when nothing was decided: the policy only records. */
  readonly mode?: "Shadow";
  /** Of the request it is about. */
  readonly uid?: string;
  readonly trail: readonly TrailEntry[];
}

export function encodeVerdict({ verdict, trail, policy }: Judgement, { metadata: { uid } }: OnObject): string {
  const { kind, rule, reason, message } = verdict;
  const record: RecordedVerdict = {
    verdict: kind,
    rule,
    reason,
    message,
    ...(verdict.kind === "Wait" ? { retryAfterMs: verdict.retryAfterMs } : {}),
    ...(policy === undefined ? {} : { policy: policy.name }),
    ...(policy?.mode === "Shadow" ? { mode: policy.mode } : {}),
    ...(uid === undefined ? {} : { uid }),
    trail,
  };
  return JSON.stringify(record);
}

type OnObject = Pick<CertificateSigningRequest, "metadata">;

/** The verdict that a controller of ours has written onto this very object; undefined when there is none. */
export function verdictOn({ metadata: { annotations, uid } }: OnObject): RecordedVerdict | undefined {
  const words = annotations?.[VERDICT_ANNOTATION];
  const recorded = words === undefined ? undefined : parseVerdict(words);
  return recorded?.uid === uid ? recorded : undefined;
}

/** Undefined when the text is not one of ours: any creator may have written it, so that is no fault. */
export function parseVerdict(text: string): RecordedVerdict | undefined {
  if (text.length > RECORD_MAX_CHARACTERS) return undefined;
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined; // not JSON: a stranger's annotation
  }
  return isRecordedVerdict(value) ? value : undefined;
}

const KINDS: readonly unknown[] = ["Allow", "Deny", "Wait", "NoOpinion"] satisfies Verdict["kind"][];

function isRecordedVerdict(value: unknown): value is RecordedVerdict {
  if (typeof value !== "object" || value === null) return false;
  const { verdict, rule, reason, message, retryAfterMs, policy, mode, uid, trail } = value as Record<string, unknown>;
  return (
    KINDS.includes(verdict) &&
    [rule, reason, message].every((field) => typeof field === "string") &&
    (retryAfterMs === undefined || typeof retryAfterMs === "number") &&
    (policy === undefined || typeof policy === "string") &&
    (mode === undefined || mode === "Shadow") &&
    (uid === undefined || typeof uid === "string") &&
    Array.isArray(trail) &&
    trail.every(isTrailEntry)
  );
}

const OUTCOMES: readonly unknown[] = [
  "pass",
  "deny",
  "wait",
  "no-opinion",
  "not-reached",
  "off",
] satisfies TrailEntry["outcome"][];

function isTrailEntry(value: unknown): value is TrailEntry {
  if (typeof value !== "object" || value === null) return false;
  const { rule, outcome, note } = value as Record<string, unknown>;
  return typeof rule === "string" && OUTCOMES.includes(outcome) && (note === undefined || typeof note === "string");
}
