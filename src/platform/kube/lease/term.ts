// The time for which a leader may act, and the argument why no write of an old leader takes effect.
//
//   sent                     + renewMs              + durationMs − margin         + durationMs
//    │ the last renewal that   │ from here no write    │ by here every write that    │ the earliest moment at which
//    │ succeeded leaves us     │ is begun any more     │ was begun has ended         │ another replica may take over
//
// 1. Another replica takes the lease only after it has seen one and the same record for `durationMs`. It cannot have
//    seen our last record before we sent it, so it takes over at `sent + durationMs` at the earliest, whatever the wall
//    clocks show.
// 2. Every write is asked for here in the turn of the event loop in which it is written to its connection
//    (`beforeSend`). A process that was frozen before that finds its term expired when it thaws, because the clocks
//    went on: nothing is sent.
// 3. A write that was sent is given up, here and by the server (`timeout=` bounds its queueing and its transaction),
//    before the earliest take-over. `margin` covers clocks that run at different speeds and the last moments within the
//    server.
// 4. What is left is a freeze between the question and the system call of the same turn, some microseconds. Every write
//    of a feature carries the resourceVersion of the object that was judged: if a successor has touched it the write is
//    refused. And a successor reads everything anew before its first decision (Informer.refresh), so it sees what we
//    did write.
//
// Elapsed time is the larger one of two clocks: the monotonic one stands still while a machine sleeps, the wall clock
// may be set back.

import { Fault } from "../../../kernel/outcome/index.ts";
import type { CallOptions, KubeClient } from "../client.ts";

export interface Timing {
  /** How long others wait for a silent leader. */
  readonly durationMs: number;
  /** How long a leader that cannot renew goes on. */
  readonly renewMs: number;
  /** Between two looks at the lease. */
  readonly retryMs: number;
}

/** kube-controller-manager's. */
export const LEASE_TIMING: Timing = { durationMs: 15_000, renewMs: 10_000, retryMs: 2_000 };

/** Of the duration: one part in ten is far more than clocks differ, and than a server needs to end a transaction. */
const MARGIN_SHARE = 0.1;

export interface Moment {
  readonly monotonicMs: number;
  readonly nowMs: number;
}

export interface Term {
  /**
   * Fires when the work shall end: the lease is lost, or we go. What is in hand may be finished as long as `writeMs`
   * allows.
   */
  readonly signal: AbortSignal;
  /** How many times the lease has changed hands: a name for this term in logs. */
  readonly transitions: number;
  /** How long a write that is begun now may take. Fault `aborted` when none may be begun. */
  writeMs(): number;
}

export interface OwnTerm extends Term {
  /** A renewal that was sent at this moment has succeeded. */
  extend(sent: Moment): void;
  /** True when no write may be begun any more: too long ago that the lease was renewed. */
  isOver(): boolean;
  /** We go by our own will. */
  stop(): void;
  /** The lease is lost: from now on nothing is written. */
  lose(why: string): void;
}

interface TermOptions {
  readonly timing: Timing;
  readonly transitions: number;
  readonly present: () => Moment;
}

export function beginTerm(first: Moment, { timing, transitions, present }: TermOptions): OwnTerm {
  const work = new AbortController();
  let lost: string | undefined;
  const endMs = timing.durationMs * (1 - MARGIN_SHARE);
  let sent = first;

  function elapsedMs(): number {
    const { monotonicMs, nowMs } = present();
    return Math.max(monotonicMs - sent.monotonicMs, nowMs - sent.nowMs);
  }

  return {
    signal: work.signal,
    transitions,
    writeMs: () => {
      const agoMs = elapsedMs();
      if (lost !== undefined || agoMs >= timing.renewMs) {
        const why = lost ?? `its lease was last renewed ${Math.round(agoMs)} ms ago`;
        throw new Fault("aborted", `this replica does not lead any more: ${why}`);
      }
      return endMs - agoMs;
    },
    extend: (moment) => {
      sent = moment;
    },
    isOver: () => lost !== undefined || elapsedMs() >= timing.renewMs,
    stop: () => work.abort(),
    lose: (why) => {
      lost = why;
      work.abort();
    },
  };
}

/** Fault `bad-config` where the three spans do not leave room for one another. */
export function requireTiming({ durationMs, renewMs, retryMs }: Timing): void {
  const lastWriteMs = durationMs * (1 - MARGIN_SHARE) - renewMs;
  if (durationMs >= 1_000 && lastWriteMs >= 1_000 && retryMs > 0 && retryMs * 2 <= renewMs) return;
  throw new Fault(
    "bad-config",
    `lease duration ${durationMs} ms, renew deadline ${renewMs} ms and retry period ${retryMs} ms do not ` +
      "fit: a write needs a second between the deadline and nine tenths of the duration, and a deadline two " +
      "tries",
  );
}

// A client for the time of a term: reads are free, every write asks the term first and ends with it. See term.ts.

export function fenceWrites(client: KubeClient, term: Pick<Term, "writeMs">): KubeClient {
  function fenced<O extends CallOptions>(options: O | undefined): O & CallOptions {
    const leftMs = term.writeMs();
    return {
      ...(options ?? ({} as O)),
      timeoutMs: Math.min(options?.timeoutMs ?? leftMs, leftMs),
      beforeSend: () => {
        options?.beforeSend?.();
        term.writeMs();
      },
    };
  }
  return {
    ...client,
    create: async (resource, object, options) => client.create(resource, object, fenced(options)),
    update: async (resource, object, options) => client.update(resource, object, fenced(options)),
    patch: async (resource, target, patch, options) => client.patch(resource, target, patch, fenced(options)),
    delete: async (resource, target, options) => client.delete(resource, target, fenced(options)),
  };
}
