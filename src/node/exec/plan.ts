// When does a run request the next certificate, and until when may client-go keep the answer? Pure ("Client CSR flow"
// of Cluster API Kubelet Authentication). client-go runs the plugin at the first request after the stated time and
// never looks at the certificate's own end, so the time must lie before that end; and never in the past, or the plugin
// runs once per request.
//
//   notBefore                     80 %        90 %       notAfter
//   ├──────────── use ─────────────┼────────── renew ───────┤ bootstrap
//                                  └─ told ────┘  somewhere in here, by the jitter

import { type CertificatePlan, type Lifetime, PLUGIN_JITTER, planCertificate } from "../certificates/plan.ts";

/** Nodes that joined together get different times, within this share of the lifetime after the 80 %. */
const TOLD_SPREAD = 0.1;
/** The last seconds of a certificate are not relied upon: a request under way when it ends is answered 401. */
const END_MARGIN_MS = 10_000;
/** However late it is, one run serves the requests of this long. */
const SHORTEST_USE_MS = 5_000;
/** After a renewal that did not succeed, while the present certificate still works. */
export const RETRY_RENEWAL_MS = 60_000;
/**
 * A kubelet sends nothing while its plugin runs, and its Lease expires after 40 s: while the certificate still works, a
 * slow signer must not make the node look dead. The request stays, and the next run finds it.
 */
export const RENEWAL_WAIT_MS = 10_000;

interface RunFacts {
  readonly current: Lifetime | undefined;
  readonly nowMs: number;
  readonly canRenew: boolean;
}

export function planRun(facts: RunFacts): CertificatePlan {
  return planCertificate({ ...facts, jitter: PLUGIN_JITTER });
}

interface AnswerFacts {
  readonly life: Lifetime;
  readonly plan: CertificatePlan;
  /** In [0, 1), one draw per certificate. */
  readonly jitter: number;
  readonly canRenew: boolean;
  readonly nowMs: number;
}

export function planExpiry({ life, plan, jitter, canRenew, nowMs }: AnswerFacts): number {
  const { notBeforeMs, notAfterMs } = life;
  const spreadMs = canRenew ? (notAfterMs - notBeforeMs) * TOLD_SPREAD * jitter : 0;
  const askAgainMs = plan.kind === "use" ? plan.untilMs + spreadMs : nowMs + RETRY_RENEWAL_MS;
  return Math.max(Math.min(askAgainMs, notAfterMs - END_MARGIN_MS), nowMs + SHORTEST_USE_MS);
}

/** RFC 3339 in whole seconds; rounded down, so it is never after the moment that was meant. */
export function encodeExpiry(ms: number): string {
  return `${new Date(ms).toISOString().slice(0, 19)}Z`;
}
