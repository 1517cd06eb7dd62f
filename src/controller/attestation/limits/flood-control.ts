// What keeps a flood of requests from becoming one of writes and objects, together.

import type { CertificateSigningRequest } from "../../../api/certificates/index.ts";
import type { Counter, Metrics } from "../../../platform/report/index.ts";
import { type Crowd, type CrowdOptions, createCrowd } from "./crowd.ts";
import { createJunkCount, type JunkCount } from "./junk.ts";
import { createOverflow, type Overflow, type OverflowOptions } from "./overflow.ts";
import { type ChallengePace, createChallengePace } from "./pace.ts";

export interface FloodControl {
  readonly pace: ChallengePace;
  readonly crowd: Crowd;
  readonly junk: JunkCount;
  readonly overflow: Overflow;
  /** Requests that were deleted instead of being told why. */
  readonly dropped?: Counter | undefined;
}

export interface FloodControlOptions extends Omit<OverflowOptions, "limit">, Omit<CrowdOptions, "waits"> {
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
