// The controller's end of the insecure provider: one request, for a first client certificate.

import { encodeHex } from "../../kernel/bytes/index.ts";
import { sha256 } from "../../kernel/crypto/index.ts";
import { assert } from "../../kernel/outcome/index.ts";
import type { ProofStep, Provider } from "../provider.ts";
import { commonPins, pinsOf } from "../rules/index.ts";
import { judgeInsecure } from "./judge.ts";

/** Trust on first use: node, provider ID and key. */
const step: ProofStep = {
  kind: "single",
  gather: async (common) => common,
  judge: judgeInsecure,
  pins: (facts) => {
    const { identity, nowMs, reading } = facts;
    assert(reading.request.ok, "pins are planned after every rule passed");
    return {
      ...commonPins(facts),
      spkiSha256: encodeHex(sha256(reading.request.value.parsed.publicKey.spki)),
      // The hour in which the same key may ask again does not begin anew with every request.
      attestedAt: pinsOf(identity)?.attestedAt ?? new Date(nowMs).toISOString(),
    };
  },
  alarms: () => [],
};

/** Every step is judged by the one chain, which refuses what is not `single`. */
export const INSECURE_PROVIDER: Provider = {
  name: "insecure",
  versions: [1],
  steps: { hello: step, proof: step, single: step },
  provesNothing: true,
};
