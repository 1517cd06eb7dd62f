// Who of several replicas leads: the holder of a Lease. The elector stands for election until it holds the lease, lets
// the work run while it renews, and gives the lease back when it is told to go. A leader who lost the lease never goes
// on: the caller ends the process, and the next one begins with a clean memory, as kube-controller-manager does it.

import { isFault } from "../../../kernel/outcome/index.ts";
import type { Clock } from "../../clock/index.ts";
import { onAbort } from "../../signals/index.ts";
import { backoffMs } from "../pace.ts";
import { type Attempt, createSeat, type Seat, type SeatOptions } from "./seat.ts";
import { beginTerm, type Moment, type OwnTerm, requireTiming, type Term, type Timing } from "./term.ts";

interface ElectorOptions extends SeatOptions {
  /** In [0, 1). */
  readonly random: () => number;
}

/** `Stopped`: the signal fired, and the lease was given back. `Lost`: another replica leads, or may lead by now. */
export type ElectionEnd = "Stopped" | "Lost";

/** Pauses are stretched by up to this share, so that replicas that started together do not look together. */
const JITTER = 0.2;
/** The first wait after a renewal that failed; there is no time for long ones. */
const RENEW_RETRY_MS = 100;

/**
 * Stands for election, then runs `lead` for one term. When `signal` fires, the term stops, `lead` finishes, the lease
 * goes.
 */
export async function runElector(
  options: ElectorOptions,
  lead: (term: Term) => Promise<void>,
  signal: AbortSignal,
): Promise<ElectionEnd> {
  const { log, identity, timing } = options;
  requireTiming(timing);
  const seat = createSeat(options);
  const won = await stand(options, seat, signal);
  if (won === undefined) return "Stopped";
  const term = beginTerm(won, { timing, transitions: seat.transitions(), present: seat.present });
  log.info("leading", { identity, transitions: term.transitions });
  const leave = onAbort(signal, term.stop);
  const leading = lead(term);
  const isHeld = await keep(options, { seat, term, leading });
  leave();
  await leading;
  if (isHeld) await seat.release();
  log.info(isHeld ? "lease given back" : "lease lost", { identity });
  return isHeld ? "Stopped" : "Lost";
}

/** The moment of the write by which the lease became ours; undefined when the signal fired first. */
async function stand(options: ElectorOptions, seat: Seat, signal: AbortSignal): Promise<Moment | undefined> {
  const { clock, random, timing } = options;
  while (!signal.aborted) {
    const attempt = await seat.tryTake();
    if (attempt.kind === "Taken") return attempt.sent;
    complain(options, attempt);
    await sleepOrEnd(clock, pauseMs(attempt, timing, random()), signal);
  }
  return undefined;
}

/** Another candidate was faster: that is what elections are for. */
function complain({ log }: ElectorOptions, attempt: Attempt): void {
  if (attempt.kind !== "Failed" || ["conflict", "already-exists"].includes(attempt.fault.code)) return;
  log.warn("cannot stand for election", { error: attempt.fault });
}

/** Never past the moment at which the lease runs out, so that a dead leader is replaced at once. */
function pauseMs(attempt: Attempt, { retryMs }: Timing, random: number): number {
  const usualMs = retryMs * (1 + random * JITTER);
  return attempt.kind === "Stand" ? Math.max(1, Math.min(usualMs, attempt.leftMs + 1)) : usualMs;
}

interface Reign {
  readonly seat: Seat;
  readonly term: OwnTerm;
  readonly leading: Promise<void>;
}

/**
 * Renews until the work is done (true) or the lease cannot be held (false). While the work finishes it is still
 * renewed.
 */
async function keep(options: ElectorOptions, { seat, term, leading }: Reign): Promise<boolean> {
  const { clock, random, timing } = options;
  const done = new AbortController();
  leading.then(
    () => done.abort(),
    () => done.abort(), // the caller of runElector gets the failure from `leading`
  );
  for (let failures = 0; ; ) {
    const retry = backoffMs({ baseMs: RENEW_RETRY_MS, maxMs: timing.retryMs }, Math.max(0, failures - 1), random());
    await sleepOrEnd(clock, failures === 0 ? timing.retryMs : retry, done.signal);
    if (done.signal.aborted) return true;
    failures = renew(options, term, await seat.tryTake()) ? 0 : failures + 1;
    if (term.isOver()) return done.signal.aborted;
  }
}

function renew({ log }: ElectorOptions, term: OwnTerm, attempt: Attempt): boolean {
  if (attempt.kind === "Taken") term.extend(attempt.sent);
  if (attempt.kind === "Stand") term.lose(`the lease is held by ${attempt.holder}`);
  if (attempt.kind === "Failed") {
    log.warn("cannot renew the lease", { error: attempt.fault });
    if (term.isOver()) term.lose("its lease could not be renewed in time");
  }
  return attempt.kind === "Taken";
}

async function sleepOrEnd(clock: Clock, ms: number, signal: AbortSignal): Promise<void> {
  try {
    await clock.sleep(ms, signal);
  } catch (error) {
    if (!isFault(error, "aborted")) throw error;
  }
}
