// What the rules of challenge and answer know besides: the challenged request as it is now, and the keys of the challenge.
import type { Seen } from "../../../kernel/outcome/index.ts";
import type { Challenged, ChallengeKeys } from "../../evidence/index.ts";
import type { EvidenceFacts, RequestObject } from "../facts.ts";
import type { EvidenceReading, Reading } from "../reading.ts";

export interface HelloFacts {
  readonly object: RequestObject;
  readonly reading: EvidenceReading;
}

export interface ChallengeFacts extends EvidenceFacts {
  readonly challengeKeys: readonly ChallengeKeys[];
  /** The challenged side from the controller's own view: in a hello that request itself, in a proof the hello it names. */
  readonly challenged: Reading<Challenged>;
}

export interface ProofFacts extends ChallengeFacts {
  /** `hello.name`, read live. */
  readonly hello: Seen<HelloFacts>;
}
