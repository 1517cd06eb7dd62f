// What is kept from one exchange to the next, in a file, because the plugin is a new process each time. First, how
// often a machine may begin one: after a refusal it waits five seconds, doubling to ten minutes with full jitter,
// always ten minutes where only an operator can help; and it makes at most twelve hellos an hour. Then, which PCRs it
// was asked for.

import { Fault, type FaultDetail, isFault } from "../../kernel/outcome/index.ts";
import { atomicWriteFile, type FileSystem, nodeFileSystem } from "../../platform/files/index.ts";
import { parseChallenge } from "../evidence/index.ts";

const FIRST_PAUSE_MS = 5_000;
const LONGEST_PAUSE_MS = 600_000;
const HOUR_MS = 3_600_000;
const MAX_HELLOS_AN_HOUR = 12;
/** Of a bank. */
const PCR_COUNT = 24;

/** Full jitter: `fraction` is a random number from 0 to 1. */
export function pauseBeforeRetry(denials: number, fraction: number): number {
  return Math.min(FIRST_PAUSE_MS * 2 ** Math.min(denials, 10), LONGEST_PAUSE_MS) * fraction;
}

export interface Pace {
  /** When each hello of the last hour was made. */
  readonly hellos: readonly number[];
  /** In a row. */
  readonly denials: number;
  readonly pause:
    | { readonly untilMs: number; readonly why: string; readonly next: "back-off" | "operator" }
    | undefined;
  /** PCRs that the last challenge asked for: a renewal by beacon must quote the same, and is not told which. */
  readonly pcrs?: readonly number[] | undefined;
}

export const UNHURRIED: Pace = { hellos: [], denials: 0, pause: undefined };

/** Fault while the pause after a refusal lasts; it repeats why. */
export function requireNoPause({ pause }: Pace, nowMs: number): void {
  // A clock that was set back must not make ten minutes ten years.
  if (pause === undefined || nowMs >= pause.untilMs || pause.untilMs - nowMs > LONGEST_PAUSE_MS) return;
  const at = new Date(pause.untilMs).toISOString();
  throw new Fault("denied", `${pause.why} (asked again after ${at})`, { detail: { next: pause.next, isPaused: true } });
}

/** With this hello counted; Fault `too-many-requests` when the hour's are used up. */
export function countHello(pace: Pace, nowMs: number): Pace {
  const recent = pace.hellos.filter((atMs) => atMs <= nowMs && nowMs - atMs < HOUR_MS);
  const [oldest = nowMs] = recent;
  if (recent.length >= MAX_HELLOS_AN_HOUR) {
    const at = new Date(oldest + HOUR_MS).toISOString();
    throw new Fault("too-many-requests", `${recent.length} exchanges were begun within an hour; the next after ${at}`);
  }
  return { ...pace, hellos: [...recent, nowMs] };
}

/** Of these the machine itself is told to wait; everything else is an accident and tried again. */
export function isRefusal(failure: unknown): failure is Fault {
  return isFault(failure) && nextOf(failure.detail) !== undefined && failure.detail["isPaused"] !== true;
}

export function afterRefusal(
  pace: Pace,
  refusal: Fault,
  at: { readonly nowMs: number; readonly fraction: number },
): Pace {
  const next = nextOf(refusal.detail) ?? "back-off";
  const pauseMs = next === "operator" ? LONGEST_PAUSE_MS : pauseBeforeRetry(pace.denials, at.fraction);
  const pause = { untilMs: Math.floor(at.nowMs + pauseMs), why: refusal.message, next };
  return { ...pace, denials: pace.denials + 1, pause };
}

/** Of a challenge that names PCRs; one that cannot be read is left to the answer. */
export function withPcrsOf(pace: Pace, annotation: string): Pace {
  try {
    const { challenge } = parseChallenge(annotation);
    return challenge.alg === "tpm2-credential" ? { ...pace, pcrs: challenge.pcrs } : pace;
  } catch (failure) {
    if (isFault(failure)) return pace;
    throw failure;
  }
}

function nextOf({ next }: FaultDetail): "back-off" | "operator" | undefined {
  return next === "back-off" || next === "operator" ? next : undefined;
}

export async function savePace(path: string, pace: Pace, fileSystem?: FileSystem): Promise<void> {
  // `registers` is what the file calls the PCRs: machines of before have such files.
  const { pcrs: registers, ...kept } = pace;
  await atomicWriteFile(path, `${JSON.stringify({ ...kept, registers })}\n`, { mode: 0o600, fileSystem });
}

/** What cannot be read counts as nothing: the controller has limits of its own. */
export async function loadPace(path: string, fileSystem: FileSystem = nodeFileSystem): Promise<Pace> {
  try {
    return parsePace((await fileSystem.read(path)).toString("utf8"));
  } catch (failure) {
    if (isFault(failure, "not-found") || failure instanceof SyntaxError) return UNHURRIED;
    throw failure;
  }
}

function parsePace(text: string): Pace {
  const value: unknown = JSON.parse(text);
  if (typeof value !== "object" || value === null) return UNHURRIED;
  const { hellos, denials, pause, registers } = value as Partial<Record<keyof Pace | "registers", unknown>>;
  return {
    hellos: Array.isArray(hellos) ? hellos.filter(Number.isFinite).slice(-MAX_HELLOS_AN_HOUR) : [],
    denials: Number.isSafeInteger(denials) ? Math.max(Number(denials), 0) : 0,
    pause: parsePause(pause),
    ...(Array.isArray(registers) && registers.every(isPcr) ? { pcrs: registers } : {}),
  };
}

function isPcr(value: unknown): boolean {
  return Number.isInteger(value) && Number(value) >= 0 && Number(value) < PCR_COUNT;
}

function parsePause(value: unknown): Pace["pause"] {
  if (typeof value !== "object" || value === null) return undefined;
  const { untilMs, why, next } = value as Partial<Record<"untilMs" | "why" | "next", unknown>>;
  if (typeof untilMs !== "number" || typeof why !== "string") return undefined;
  return { untilMs, why, next: next === "operator" ? next : "back-off" };
}
