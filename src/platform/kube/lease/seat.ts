// The Lease object as a seat: one look at it and, where it is free or ours, one write. Every write carries the
// resourceVersion of what was seen, so of two replicas that find it free one gets it.

import type { Lease } from "../../../api/core/index.ts";
import { LEASES } from "../../../api/meta/index.ts";
import { type Fault, isFault } from "../../../kernel/outcome/index.ts";
import type { Clock } from "../../clock/index.ts";
import type { Log } from "../../report/index.ts";
import type { KubeClient } from "../client.ts";
import { type Observation, observe, planElection, releasedSpec } from "./plan.ts";
import type { Moment, Timing } from "./term.ts";

export interface SeatOptions {
  readonly client: KubeClient;
  readonly clock: Clock;
  readonly monotonicMs: () => number;
  readonly log: Log;
  /** Must differ between any two replicas, and between two lives of one. */
  readonly identity: string;
  readonly lease: { readonly namespace: string; readonly name: string };
  readonly timing: Timing;
  /** Called at every look with the holder's name; empty without a holder. */
  readonly onHolder?: ((holder: string) => void) | undefined;
}

export type Attempt =
  /** It is ours, by a write that was sent after this moment. */
  | { readonly kind: "Taken"; readonly sent: Moment }
  | { readonly kind: "Stand"; readonly holder: string; readonly leftMs: number }
  /** Not known: the next attempt looks again. */
  | { readonly kind: "Failed"; readonly fault: Fault };

export interface Seat {
  tryTake(): Promise<Attempt>;
  present(): Moment;
  transitions(): number;
  /** Best effort: a lease that is not given back runs out. */
  release(): Promise<void>;
}

export function createSeat(options: SeatOptions): Seat {
  const { client, clock, identity, lease: where, timing } = options;
  const call = { timeoutMs: timing.retryMs * 2 };
  let observed: Observation | undefined;
  /** What we wrote last. A holder writes over it without looking: the resourceVersion says whether it still stands. */
  let held: Lease | undefined;
  const present = () => ({ monotonicMs: options.monotonicMs(), nowMs: clock.now() });

  async function save(lease: Lease | undefined, spec: NonNullable<Lease["spec"]>): Promise<Lease> {
    const meta = { apiVersion: "coordination.k8s.io/v1", kind: "Lease" };
    return lease === undefined
      ? await client.create<Lease>(LEASES, { ...meta, metadata: { ...where }, spec }, call)
      : await client.update<Lease>(LEASES, { ...lease, ...meta, spec }, call);
  }

  async function take(): Promise<Attempt> {
    const lease = held ?? (await read(client, where, call));
    const sent = present();
    observed = observe(observed, lease, sent.monotonicMs);
    const plan = planElection({ identity, lease, observed, ...sent, durationMs: timing.durationMs });
    options.onHolder?.(plan.kind === "Stand" ? plan.holder : identity);
    if (plan.kind === "Stand") return plan;
    held = await save(lease, plan.spec);
    return { kind: "Taken", sent };
  }

  return {
    present,
    transitions: () => held?.spec?.leaseTransitions ?? 0,
    tryTake: async () => {
      try {
        return await take();
      } catch (fault) {
        if (!isFault(fault)) throw fault;
        held = undefined;
        return { kind: "Failed", fault };
      }
    },
    release: async () => {
      try {
        if (held !== undefined) await save(held, releasedSpec(held, clock.now()));
        options.onHolder?.("");
      } catch (error) {
        if (!isFault(error)) throw error;
        options.log.warn("lease not given back; it runs out by itself", { error });
      }
    },
  };
}

async function read(
  client: KubeClient,
  where: SeatOptions["lease"],
  call: { readonly timeoutMs: number },
): Promise<Lease | undefined> {
  try {
    return await client.get<Lease>(LEASES, where, call);
  } catch (error) {
    if (isFault(error, "not-found")) return undefined;
    throw error;
  }
}
