// What to do next in an exchange: from what was saved and what the API server shows ("States of the machine" in
// docs/protocols/attestation.md). Pure; a crash at any moment leaves a state of this table. The controller's side is
// controller/judging/exchange/plan.ts.
//
//   nothing saved                → begin: new key, hello, save, create
//   hello saved                  → create it; exists already: adopt if it is ours, else drop all
//   hello sent                   → challenge: answer; pending: wait; denied, gone, another's: drop all
//   proof saved                  → create it; exists already: adopt if it is ours, else drop all
//   proof sent                   → certificate: store; challenge spent or expired: begin again, once;
//                                  denied, gone: drop all
//   renewal by beacon            → as a proof; denied: by a full exchange, at once

export type ExchangeStage = "nothing" | "hello-saved" | "hello-sent" | "proof-saved" | "proof-sent";

/** The object of the stage as it is at the API server. */
export type FoundRequest =
  | { readonly kind: "Gone" }
  | {
      readonly kind: "Found";
      /** The uid that was saved; where none was yet, the same bytes by the same user. */
      readonly isOurs: boolean;
      readonly denied: Refusal | undefined;
      readonly challenge: string | undefined;
      readonly certificate: string | undefined;
    };

/** A decision against a request. */
interface Refusal {
  /** Of our controller's rules; others have none. */
  readonly rule?: string | undefined;
  readonly reason: string;
  readonly message: string;
}

export type ExchangeStep =
  | { readonly kind: "Begin" }
  | { readonly kind: "Create" }
  /** It was created before; its uid is the one that was found. */
  | { readonly kind: "Adopt" }
  | { readonly kind: "Answer"; readonly challenge: string }
  | { readonly kind: "Wait" }
  | { readonly kind: "Store"; readonly certificate: string }
  /** Another version of the protocol, if there is a common one. */
  | { readonly kind: "Renegotiate" }
  | ExchangeDrop;

export interface ExchangeDrop {
  readonly kind: "Drop";
  /** `exchange`: the short renewal was refused, and the full exchange is left. */
  readonly next: "begin" | "exchange" | "back-off" | "operator";
  /** `gone`: the object is not there any more; `taken`: another one has its name. */
  readonly because: "gone" | "taken" | Refusal;
}

/** Ends of a challenge that a new hello heals at once. */
const SPENT: ReadonlySet<string> = new Set(["ChallengeExpired", "ChallengeUnknown", "ChallengeConsumed"]);
/** Only a person can change these. */
const FOR_OPERATOR =
  /^(IdentityRevoked|CredentialRevoked|NodeNotEnrolled|EndorsementKey\w+|ProviderChanged|TpmClockRegressed|NoCommonVersion)$/;

interface PlanInput {
  readonly stage: ExchangeStage;
  /** Where nothing was sent yet: looked at only when it cannot be created. */
  readonly found?: FoundRequest | undefined;
  /** The exchange was begun anew once already because its challenge was spent. */
  readonly hasBegunAgain?: boolean | undefined;
  /** The one request of a renewal by beacon: a proof without a hello. */
  readonly isShort?: boolean | undefined;
}

export function planExchange(input: PlanInput): ExchangeStep {
  const { stage, found } = input;
  if (stage === "nothing") return { kind: "Begin" };
  if (stage === "hello-saved" || stage === "proof-saved") return planUnsent(found);
  if (found === undefined) return { kind: "Wait" };
  if (found.kind === "Gone") return drop("back-off", "gone");
  if (!found.isOurs) return drop("back-off", "taken");
  if (found.denied !== undefined) return planDenied(input, found.denied);
  if (stage === "proof-sent") {
    return found.certificate === undefined ? { kind: "Wait" } : { kind: "Store", certificate: found.certificate };
  }
  return found.challenge === undefined ? { kind: "Wait" } : { kind: "Answer", challenge: found.challenge };
}

/** Found: it could not be created, because an object of its name was there. */
function planUnsent(found: FoundRequest | undefined): ExchangeStep {
  if (found === undefined) return { kind: "Create" };
  if (found.kind === "Gone") return drop("back-off", "gone");
  return found.isOurs ? { kind: "Adopt" } : drop("back-off", "taken");
}

function planDenied({ stage, hasBegunAgain = false, isShort = false }: PlanInput, refusal: Refusal): ExchangeStep {
  const { reason } = refusal;
  if (stage === "hello-sent" && reason === "VersionUnsupported") return { kind: "Renegotiate" };
  if (FOR_OPERATOR.test(reason)) return drop("operator", refusal);
  // Old beacon, other PCRs, another attestation key, a policy that changed: all of it heals in a full exchange.
  if (isShort) return drop("exchange", refusal);
  return drop(stage === "proof-sent" && SPENT.has(reason) && !hasBegunAgain ? "begin" : "back-off", refusal);
}

function drop(next: ExchangeDrop["next"], because: ExchangeDrop["because"]): ExchangeDrop {
  return { kind: "Drop", next, because };
}
