// Too many requests under our signers (Limits): objects in etcd are the scarce thing. Above the limit those that have
// ended, denied ones and hellos whose time has passed, go at once, oldest first, and a new denial is an Event and
// nothing on the object.

import { type CertificateSigningRequest, findCondition } from "../../api/certificates/index.ts";
import { CHALLENGE_ANNOTATION, CONSUMED_BY_ANNOTATION, parseChallenge } from "../../attestation/evidence/index.ts";
import { attempt, signerParts } from "../../attestation/rules/index.ts";
import { isFault } from "../../kernel/outcome/index.ts";
import type { Clock } from "../../platform/clock/index.ts";
import type { Informer } from "../../platform/kube/index.ts";
import type { Log } from "../../platform/report/index.ts";

/** Index of the requests under our signers: all of them, those that are denied, those that wait for an answer. */
export const ATTESTED_REQUESTS = "attested-requests";
export const REQUESTS_KEPT = 5_000;
/** One sweep; a later look begins another. */
const SWEEP = 500;
/**
 * Every request brings a look, and to find what is over all of them are read: a flood of requests must not become one
 * of readings.
 */
const SWEEP_EVERY_MS = 1_000;

const ALL = "all";
const DENIED = "denied";
const CHALLENGED = "challenged";

export function attestedKeys(csr: CertificateSigningRequest): readonly string[] {
  if (signerParts(csr.spec.signerName) === undefined) return [];
  if (findCondition(csr, "Denied") !== undefined) return [ALL, DENIED];
  const { annotations = {} } = csr.metadata;
  const isOpen = annotations[CHALLENGE_ANNOTATION] !== undefined && annotations[CONSUMED_BY_ANNOTATION] === undefined;
  return isOpen ? [ALL, CHALLENGED] : [ALL];
}

export interface Overflow {
  count(): number;
  isOver(): boolean;
  /**
   * Deletes the oldest that are over, as far as there are too many. One sweep at a time, and one a second: others go
   * on.
   */
  sweep(): Promise<void>;
}

export interface OverflowOptions {
  readonly csrs: Pick<Informer<CertificateSigningRequest>, "byIndex" | "countByIndex">;
  readonly clock: Pick<Clock, "now">;
  readonly log: Log;
  readonly remove: (csr: CertificateSigningRequest) => Promise<void>;
  readonly limit?: number | undefined;
}

export function createOverflow(options: OverflowOptions): Overflow {
  const { csrs, clock, log, remove, limit = REQUESTS_KEPT } = options;
  const count = () => csrs.countByIndex(ATTESTED_REQUESTS, ALL);
  let isSweeping = false;
  let notBeforeMs = Number.NEGATIVE_INFINITY;

  async function removeOldest(): Promise<void> {
    const over = [
      ...csrs.byIndex(ATTESTED_REQUESTS, DENIED),
      ...csrs.byIndex(ATTESTED_REQUESTS, CHALLENGED).filter((csr) => isExpired(csr, clock.now())),
    ];
    const oldest = over.sort(byAge).slice(0, Math.min(count() - limit, SWEEP));
    for (const csr of oldest) await remove(csr);
    log.warn("too many requests under our signers", { limit, count: count(), removed: oldest.length });
  }

  return {
    count,
    isOver: () => count() > limit,
    sweep: async () => {
      if (isSweeping || count() <= limit || clock.now() < notBeforeMs) return;
      isSweeping = true;
      try {
        await removeOldest();
      } catch (error) {
        // What may not be deleted, or not now, keeps no request from being judged.
        if (!isFault(error)) throw error;
        log.warn("requests under our signers are too many and not deleted", { limit, error });
      } finally {
        isSweeping = false;
        notBeforeMs = clock.now() + SWEEP_EVERY_MS;
      }
    },
  };
}

function isExpired({ metadata }: CertificateSigningRequest, nowMs: number): boolean {
  const parsed = attempt("", () => parseChallenge(metadata.annotations?.[CHALLENGE_ANNOTATION] ?? ""));
  return parsed.ok && parsed.value.challenge.exp * 1_000 < nowMs;
}

/** Whole seconds of the API server's clock, in one spelling: text compares as time. */
function byAge(one: CertificateSigningRequest, other: CertificateSigningRequest): number {
  const [first = "", second = ""] = [one.metadata.creationTimestamp, other.metadata.creationTimestamp];
  if (first === second) return 0;
  return first < second ? -1 : 1;
}
