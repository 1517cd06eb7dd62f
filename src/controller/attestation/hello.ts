// CSR 1 of a TPM's exchange: judged by H1–H20, then challenged with a credential that only its TPM can open.

import { judgeTpmHello } from "../../attestation/tpm/verifier.ts";
import { assert } from "../../kernel/outcome/index.ts";
import { auditHolders } from "../judging/settle.ts";
import type { Next } from "../loop/index.ts";
import { answerHello, NONCE_OCTETS } from "./challenge.ts";
import { demandedPcrs, gatherHello } from "./gather-tpm.ts";
import { planChallenge, randomnessFor } from "./plan.ts";
import type { AttestationWorld, Look } from "./world.ts";

export async function handleHello(world: AttestationWorld, look: Look): Promise<Next> {
  return await answerHello(world, look, {
    gather: (wanted) => gatherHello(world, look, wanted),
    judge: (facts) => auditHolders(judgeTpmHello(facts), facts.otherHolders),
    plan: (facts, key) => {
      const { endorsementKey } = facts.keys;
      assert(endorsementKey.ok, "a hello that passed has an endorsement key");
      return planChallenge(facts, {
        key,
        pcrs: demandedPcrs(look.policy),
        nonce: world.randomBytes(NONCE_OCTETS),
        randomness: randomnessFor(endorsementKey.value, world.randomBytes),
      });
    },
  });
}
