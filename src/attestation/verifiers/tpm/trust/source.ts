// A source of trust in an endorsement key (protocol 6.1). Asked in order; the first that is not silent decides.
import type { EkTrustLevel } from "../../../../api/countersign/index.ts";
import type { EndorsementFacts, EndorsementKey } from "../facts.ts";

export type TrustAnswer =
  | { readonly kind: "Trusted"; readonly level: EkTrustLevel; readonly note: string }
  | { readonly kind: "Refused"; readonly reason: string; readonly message: string }
  | { readonly kind: "Waiting"; readonly reason: string; readonly message: string }
  /** Nothing known; `why` where that may help an operator. */
  | { readonly kind: "Silent"; readonly why?: string };

export interface TrustSource {
  readonly id: string;
  readonly sentence: string;
  readonly ask: (key: EndorsementKey, facts: EndorsementFacts) => TrustAnswer;
}

export const SILENT: TrustAnswer = { kind: "Silent" };
