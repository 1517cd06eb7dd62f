// The controller's own place among its replicas: it may write only while it leads, and says whether it leads, stands
// by, or needs no election because it is alone. Without an election (the embedded control plane) it leads from the
// start.

import { Fault } from "../kernel/outcome/index.ts";
import type { Clock } from "../platform/clock/index.ts";
import { fenceWrites, type KubeClient, runElector, type Term, type Timing } from "../platform/kube/index.ts";
import type { Log } from "../platform/report/index.ts";

export interface ElectionOptions {
  readonly namespace: string;
  readonly name: string;
  readonly timing: Timing;
  readonly monotonicMs: () => number;
}

interface LeadershipOptions {
  readonly client: KubeClient;
  readonly clock: Clock;
  readonly random: () => number;
  readonly log: Log;
  readonly replica: string;
  readonly election: ElectionOptions | undefined;
}

export interface Leadership {
  /** Reads always; writes only while this replica leads, and never beyond its term. */
  readonly client: KubeClient;
  /**
   * The same for a client of another cluster. The argument of platform/kube/lease/term.ts is one of time alone:
   * whichever server takes a write is told to end it before another replica can lead.
   */
  fence(other: KubeClient): KubeClient;
  isLeading(): boolean;
  /** The leader, as far as this replica knows; empty: none. */
  holder(): string;
  /** Runs `lead` once this replica leads, until the signal fires. Fault `locked` when another replica took over. */
  run(lead: (signal: AbortSignal) => Promise<void>, signal: AbortSignal): Promise<void>;
}

export function createLeadership(options: LeadershipOptions): Leadership {
  const { election, replica } = options;
  return election === undefined ? leadAlone(options.client, replica) : leadElected(options, election);
}

function leadAlone(client: KubeClient, replica: string): Leadership {
  return {
    client,
    fence: (other) => other,
    isLeading: () => true,
    holder: () => replica,
    run: (lead, signal) => lead(signal),
  };
}

function leadElected(options: LeadershipOptions, election: ElectionOptions): Leadership {
  const { client, clock, random, log, replica } = options;
  const { namespace, name, timing, monotonicMs } = election;
  let holder = "";
  let present: Term | undefined;
  const onHolder = (next: string) => {
    if (next !== holder) log.info("the leader is another one now", { holder: next, before: holder });
    holder = next;
  };
  const fence = (some: KubeClient) =>
    fenceWrites(some, {
      writeMs: () => {
        if (present === undefined) throw new Fault("aborted", "this replica does not lead");
        return present.writeMs();
      },
    });
  return {
    client: fence(client),
    fence,
    isLeading: () => present !== undefined && !present.signal.aborted,
    holder: () => holder,
    run: async (lead, signal) => {
      const elector = {
        client,
        clock,
        random,
        log,
        identity: replica,
        lease: { namespace, name },
        timing,
        monotonicMs,
        onHolder,
      };
      const runTerm = async (term: Term) => {
        present = term;
        await lead(term.signal);
      };
      const end = await runElector(elector, runTerm, signal);
      present = undefined;
      if (end === "Lost") throw new Fault("locked", `the lease ${namespace}/${name} was lost; another replica leads`);
    },
  };
}
