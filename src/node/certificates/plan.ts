// When does a node use its certificate, when does it ask for the next, when must it bootstrap? Pure (KEP-266, boot
// sequence and rotation; client-go's certificate manager for the numbers).
//
//   notBefore            70 %      90 %      notAfter
//   ├────────── use ───────┼── due ──┼── renew ──┤ bootstrap
//                        somewhere in here, by the jitter

/** The middle of the rotation window and how far to each side of it the jitter may move the moment. */
const ROTATE_AT = 0.8;
const ROTATE_SPREAD = 0.1;

/** *Cluster API Kubelet Authentication* renews with "less than 20 % left", which is the middle of the window. */
export const PLUGIN_JITTER = 0.5;

export interface Lifetime {
  readonly notBeforeMs: number;
  readonly notAfterMs: number;
}

export interface CertificateFacts {
  /** Absent when there is no pair, or none for this node. */
  readonly current: Lifetime | undefined;
  readonly nowMs: number;
  /** In [0, 1). One draw per certificate, so that a fleet that was born together does not renew together. */
  readonly jitter: number;
  /** A provider that proves nothing may not renew; its certificate is used until it expires. */
  readonly canRenew: boolean;
}

export type CertificatePlan =
  | { readonly kind: "use"; readonly untilMs: number }
  | { readonly kind: "renew"; readonly dueMs: number; readonly untilMs: number }
  | { readonly kind: "bootstrap"; readonly why: "no-certificate" | "expired" };

export function planCertificate({ current, nowMs, jitter, canRenew }: CertificateFacts): CertificatePlan {
  if (current === undefined) return { kind: "bootstrap", why: "no-certificate" };
  if (nowMs >= current.notAfterMs) return { kind: "bootstrap", why: "expired" };
  const dueMs = canRenew ? rotationTime(current, jitter) : current.notAfterMs;
  if (nowMs < dueMs) return { kind: "use", untilMs: dueMs };
  return { kind: "renew", dueMs, untilMs: current.notAfterMs };
}

/** notBefore is not compared with the clock: the server's clock decides what is valid, a node's may be behind. */
export function rotationTime({ notBeforeMs, notAfterMs }: Lifetime, jitter: number): number {
  const share = ROTATE_AT - ROTATE_SPREAD + 2 * ROTATE_SPREAD * jitter;
  return Math.floor(notBeforeMs + (notAfterMs - notBeforeMs) * share);
}

/**
 * The life of a certificate on this machine: from when it was stored, if that is after notBefore. Signers backdate
 * certificates (kube-controller-manager by five minutes), so one of two minutes would be due at once, and each look at
 * it a new request. differs from upstream: kubelet counts from notBefore and requests each time.
 */
export function usefulLife({ notBeforeMs, notAfterMs }: Lifetime, storedMs: number): Lifetime {
  const isSane = storedMs > notBeforeMs && storedMs < notAfterMs;
  return { notBeforeMs: isSane ? storedMs : notBeforeMs, notAfterMs };
}

/**
 * A draw that is equal in every process of this machine and not predictable: from the certificate's signature. Not its
 * last eight bytes: those of an Ed25519 signature are the high end of a number below 2^252.
 */
export function jitterOf(leaf: Uint8Array): number {
  const [a = 0, b = 0, c = 0, d = 0] = leaf.slice(-16, -12);
  return (a * 2 ** 24 + b * 2 ** 16 + c * 2 ** 8 + d) / 2 ** 32;
}
