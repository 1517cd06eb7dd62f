// What to do next in an exchange (protocol 7.3, 9.1): from what was saved and what the API server shows. Pure; a crash at any
// moment leaves a state of this table.
//
//   nothing saved                → begin: new key, hello, save, create
//   hello saved                  → create it; exists already: adopt if it is ours, else drop all
//   hello sent                   → challenge: answer; pending: wait; denied, gone, another's: drop all
//   proof saved                  → create it; exists already: adopt if it is ours, else drop all
//   proof sent                   → certificate: store; challenge spent or over: begin again, once; denied, gone: drop all

export type ExchangeStage = "nothing" | "hello-saved" | "hello-sent" | "proof-saved" | "proof-sent";

/** The object of the stage as it is at the API server. */
export type FoundRequest =
  | { readonly kind: "Gone" }
  | {
      readonly kind: "Found";
      /** The uid that was saved; where none was yet, the same bytes by the same user. */
      readonly isOurs: boolean;
      readonly denied: { readonly reason: string; readonly message: string } | undefined;
      readonly challenge: string | undefined;
      readonly certificate: string | undefined;
    };

export type ExchangeStep =
  | { readonly kind: "Begin" }
  | { readonly kind: "Create" }
  | { readonly kind: "Adopt" }
  | { readonly kind: "Answer"; readonly challenge: string }
  | { readonly kind: "Wait" }
  | { readonly kind: "Store"; readonly certificate: string }
  /** Another version of the protocol, if there is a common one. */
  | { readonly kind: "Renegotiate" }
  | { readonly kind: "Drop"; readonly next: "begin" | "back-off" | "operator"; readonly why: string };

/** Ends of a challenge that a new hello heals at once. */
const SPENT: ReadonlySet<string> = new Set(["ChallengeExpired", "ChallengeUnknown", "ChallengeConsumed"]);
/** Only a person can change these. */
const FOR_OPERATOR = /^(IdentityRevoked|EndorsementKey\w+|ProviderChanged|TpmClockRegressed|NoCommonVersion)$/;

export interface PlanInput {
  readonly stage: ExchangeStage;
  /** Not looked at where nothing was sent yet. */
  readonly found?: FoundRequest | undefined;
  /** The exchange was begun anew once already because its challenge was spent. */
  readonly hasBegunAgain?: boolean | undefined;
}

export function planExchange({ stage, found, hasBegunAgain = false }: PlanInput): ExchangeStep {
  if (stage === "nothing") return { kind: "Begin" };
  if (stage === "hello-saved" || stage === "proof-saved") return planUnsent(found);
  if (found === undefined) return { kind: "Wait" };
  if (found.kind === "Gone") return drop("back-off", "the request is gone");
  if (!found.isOurs) return drop("back-off", "another request has the name");
  if (found.denied !== undefined) return planDenied(stage, found.denied, hasBegunAgain);
  if (stage === "proof-sent") {
    return found.certificate === undefined ? { kind: "Wait" } : { kind: "Store", certificate: found.certificate };
  }
  return found.challenge === undefined ? { kind: "Wait" } : { kind: "Answer", challenge: found.challenge };
}

/** Created without an answer, the object may be there already. */
function planUnsent(found: FoundRequest | undefined): ExchangeStep {
  if (found === undefined || found.kind === "Gone") return { kind: "Create" };
  return found.isOurs ? { kind: "Adopt" } : drop("back-off", "another request has the name");
}

function planDenied(
  stage: "hello-sent" | "proof-sent",
  { reason, message }: { readonly reason: string; readonly message: string },
  hasBegunAgain: boolean,
): ExchangeStep {
  if (stage === "hello-sent" && reason === "VersionUnsupported") return { kind: "Renegotiate" };
  const why = `${reason}: ${message}`;
  if (FOR_OPERATOR.test(reason)) return drop("operator", why);
  return drop(stage === "proof-sent" && SPENT.has(reason) && !hasBegunAgain ? "begin" : "back-off", why);
}

function drop(next: "begin" | "back-off" | "operator", why: string): ExchangeStep {
  return { kind: "Drop", next, why };
}

const FIRST_PAUSE_MS = 5_000;
const LONGEST_PAUSE_MS = 600_000;

/** Full jitter: `fraction` is a random number from 0 to 1. Reasons for an operator: the longest pause each time. */
export function pauseBeforeRetry(denials: number, fraction: number): number {
  return Math.min(FIRST_PAUSE_MS * 2 ** Math.min(denials, 10), LONGEST_PAUSE_MS) * fraction;
}
