// What the certificate manager does next. Pure: what it knows -> wait, or request a certificate and why. In this order:
// switched off · nothing to ask for · no certificate · expired · refused by the server · not for the names wanted now ·
// asked for · due (70 to 90 % of its life, by the jitter) · wait.

import { type Lifetime, planCertificate } from "../plan.ts";

export interface RotationFacts {
  /** The life of the pair in use, as this machine has it (`usefulLife`). */
  readonly current: Lifetime | undefined;
  /** By the server's clock as far as it is known. */
  readonly nowMs: number;
  readonly jitter: number;
  readonly canRenew: boolean;
  /** False: the pair is used as it is and nothing is ever asked for. */
  readonly isEnabled: boolean;
  /** False for a serving certificate of a machine that has no address yet. */
  readonly canAsk: boolean;
  readonly isRefused: boolean;
  readonly lacksNames: boolean;
  readonly isAsked: boolean;
}

export type RotationReason = "no-certificate" | "expired" | "refused" | "names-changed" | "asked" | "due";

export type RotationPlan =
  | { readonly kind: "wait"; readonly untilMs: number }
  | { readonly kind: "rotate"; readonly why: RotationReason };

export function planRotation(facts: RotationFacts): RotationPlan {
  if (!facts.isEnabled || !facts.canAsk) return { kind: "wait", untilMs: Number.POSITIVE_INFINITY };
  const plan = planCertificate(facts);
  if (plan.kind === "bootstrap") return rotate(plan.why);
  if (facts.isRefused) return rotate("refused");
  if (facts.lacksNames) return rotate("names-changed");
  if (facts.isAsked) return rotate("asked");
  return plan.kind === "renew" ? rotate("due") : { kind: "wait", untilMs: plan.untilMs };
}

function rotate(why: RotationReason): RotationPlan {
  return { kind: "rotate", why };
}
