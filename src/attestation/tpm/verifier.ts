// The controller's end of the TPM provider: hello, challenge and proof, and the renewal of one request by the beacon.

import { ekLabelOf } from "../../api/countersign/index.ts";
import type { HelloStep, ProofStep, Provider } from "../provider.ts";
import type { ProofFacts } from "../rules/index.ts";
import { planChallenge } from "./challenge.ts";
import type { EndorsementFacts, TpmHelloFacts } from "./facts.ts";
import { gatherBeacon, gatherHello, gatherProof, type TpmSurroundings } from "./gather.ts";
import {
  type BeaconFacts,
  judgeOwnedTpmProof,
  judgeTpmBeacon,
  judgeTpmHello,
  judgeTpmProof,
  type OwnedProofFacts,
} from "./judge.ts";
import { planPins } from "./pins.ts";
import { clockAlarms } from "./rules/quote.ts";

export function createTpmVerifier(known: TpmSurroundings): Provider {
  const hello: HelloStep<TpmHelloFacts> = {
    kind: "hello",
    gather: (common, asked) => gatherHello(known, common, asked),
    judge: judgeTpmHello,
    challenge: planChallenge,
  };
  const proof: ProofStep<OwnedProofFacts> = {
    kind: "proof",
    gather: (common, asked) => gatherProof(known, common, asked),
    judge: judgeTpmProof,
    judgeOwned: judgeOwnedTpmProof,
    pins: planPins,
    keyLabel,
    alarms: clockAlarms,
  };
  const single: ProofStep<BeaconFacts & ProofFacts> = {
    kind: "single",
    gather: (common, asked) => gatherBeacon(known, common, asked),
    judge: judgeTpmBeacon,
    pins: planPins,
    keyLabel,
    alarms: clockAlarms,
  };
  return { name: "tpm", versions: [1], steps: { hello, proof, single } };
}

function keyLabel({ keys: { endorsementKey } }: EndorsementFacts): string | undefined {
  return endorsementKey.ok ? ekLabelOf(endorsementKey.value.hash) : undefined;
}

export { EK_ANNOTATED_BY } from "./challenge.ts";
export { auditedHolders, describeHolders, type EndorsementSource, KEY_IN_USE, type KeyHolder } from "./facts.ts";
