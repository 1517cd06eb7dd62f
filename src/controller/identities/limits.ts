// What keeps a flood of requests from becoming one of writes and objects, together.

import type { CertificateSigningRequest } from "../../api/certificates/index.ts";
import type { Clock } from "../../platform/clock/index.ts";
import {
  createTokenBucket,
  type EventRecorder,
  type KubeClient,
  type Rate,
  type TokenBucket,
} from "../../platform/kube/index.ts";
import type { Counter, Metrics } from "../../platform/report/index.ts";
import { createOverflow, type Overflow, type OverflowOptions } from "./overflow.ts";

export interface FloodControl {
  readonly pace: ChallengePace;
  readonly crowd: Crowd;
  readonly junk: JunkCount;
  readonly overflow: Overflow;
  /** Requests that were deleted instead of being told why. */
  readonly dropped?: Counter | undefined;
}

interface FloodControlOptions extends Omit<OverflowOptions, "limit">, Omit<CrowdOptions, "waits"> {
  readonly metrics: Metrics;
}

export function createFloodControl({ clock, log, metrics, csrs, events, remove }: FloodControlOptions): FloodControl {
  const dropped = metrics.counter({
    name: "countersign_attestation_requests_dropped_total",
    help: "Requests with evidence that were deleted before their time, by case.",
  });
  const waits = metrics.counter({
    name: "countersign_attestation_waits_total",
    help: "Looks at requests with evidence that wait because too many do, by reason.",
  });
  const drop = async (csr: CertificateSigningRequest) => {
    await remove(csr);
    dropped.add({ why: "overflow" });
  };
  const overflow = createOverflow({ csrs, clock, log, remove: drop });
  const help = "Certificate requests under the signers of attestation.";
  metrics.reading({ name: "countersign_attestation_requests", help, type: "gauge" }, overflow.count);
  const crowd = createCrowd({ clock, events, waits });
  return { pace: createChallengePace(clock), junk: createJunkCount(), crowd, overflow, dropped };
}

// Requests that wait because too many do (Limits): a flood of requests must not become a flood of writes, so nothing is
// written on the objects and one Event a minute tells of all of them.
const EVENT_EVERY_MS = 60_000;

interface Crowd {
  /** One more request waits its turn. */
  note(csr: CertificateSigningRequest, why: { readonly reason: string; readonly message: string }): void;
}

interface CrowdOptions {
  readonly clock: Pick<Clock, "now">;
  readonly events: Pick<EventRecorder, "record">;
  readonly waits?: Counter | undefined;
}

export function createCrowd({ clock, events, waits }: CrowdOptions): Crowd {
  let toldMs = Number.NEGATIVE_INFINITY;
  let untold = 0;
  return {
    note: (csr, { reason, message }) => {
      waits?.add({ reason });
      untold++;
      if (clock.now() - toldMs < EVENT_EVERY_MS) return;
      const requester = JSON.stringify(csr.spec.username ?? "");
      const said = `${message}; ${untold} waits since the last such event, this one of ${requester}`;
      events.record(csr, { type: "Warning", reason, message: said });
      toldMs = clock.now();
      untold = 0;
    },
  };
}

// Proofs that fail (Limits): so many that name one hello get their reason; more are judged all the same and deleted. A
// good proof is never shut out by junk, and junk does not fill the cluster.
/** So many failing proofs of one hello are told why. */
export const DENIALS_TOLD = 8;
/** Hellos whose junk is counted; the one that was named first is forgotten, and its junk told why once more. */
const HELLOS_COUNTED = 4_096;

interface JunkCount {
  /** Counts one more failing proof of this hello; false: it is to be deleted, not told. */
  mayTell(helloUid: string): boolean;
}

export function createJunkCount(): JunkCount {
  const denials = new Map<string, number>();
  return {
    mayTell: (helloUid) => {
      const count = (denials.get(helloUid) ?? 0) + 1;
      const [oldest] = denials.keys();
      if (denials.size >= HELLOS_COUNTED && oldest !== undefined && !denials.has(helloUid)) denials.delete(oldest);
      denials.set(helloUid, count);
      return count <= DENIALS_TOLD;
    },
  };
}

// How fast a replica acts (Limits): so many challenges and so many writes a second. Requests that come faster are
// served later, not refused; the turns among requesters are the queue's matter.
const CHALLENGE_RATE: Rate = { perSecond: 100, burst: 100 };
/**
 * Ten seconds' worth at once: a cluster that is brought up in one go joins its first two hundred nodes without a pause.
 */
const WRITE_RATE: Rate = { perSecond: 200, burst: 2_000 };

interface ChallengePace {
  /** 0: one more may be challenged now, and is counted. Else so long until the next. */
  takeOrWaitMs(): number;
}

export function createChallengePace({ now }: Pick<Clock, "now">, rate: Rate = CHALLENGE_RATE): ChallengePace {
  const bucket = createTokenBucket(rate, now);
  return {
    takeOrWaitMs: () => {
      const waitMs = bucket.waitMs();
      if (waitMs === 0) bucket.take();
      return waitMs;
    },
  };
}

/** For both clusters of one attestation: together they keep the rate. */
export function createWritePace({ now }: Pick<Clock, "now">, rate: Rate = WRITE_RATE): TokenBucket {
  return createTokenBucket(rate, now);
}

/** The same client, whose writes wait for their turn. */
export function paceWrites(client: KubeClient, clock: Pick<Clock, "sleep">, bucket: TokenBucket): KubeClient {
  async function turn(): Promise<void> {
    for (let waitMs = bucket.waitMs(); waitMs > 0; waitMs = bucket.waitMs()) await clock.sleep(waitMs);
    bucket.take();
  }
  return {
    ...client,
    create: async (resource, object, options) => {
      await turn();
      return await client.create(resource, object, options);
    },
    update: async (resource, object, options) => {
      await turn();
      return await client.update(resource, object, options);
    },
    patch: async (resource, target, patch, options) => {
      await turn();
      return await client.patch(resource, target, patch, options);
    },
    delete: async (resource, target, options) => {
      await turn();
      await client.delete(resource, target, options);
    },
  };
}
