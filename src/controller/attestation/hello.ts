// CSR 1 of a TPM's exchange: judged by H1–H20, then challenged. Nothing is remembered: key ring and request are all it takes to
// know the challenge again.

import { VERDICT_ANNOTATION } from "../../api/certificates/index.ts";
import { CSRS } from "../../api/meta/index.ts";
import { CHALLENGE_ANNOTATION } from "../../attestation/evidence/index.ts";
import {
  credentialAlarms,
  judgeStandingChallenge,
  judgeTpmHello,
  type TpmHelloFacts,
} from "../../attestation/verifiers/index.ts";
import { assert } from "../../kernel/outcome/index.ts";
import type { Next } from "../loop/index.ts";
import { raise } from "./alarms.ts";
import { demandedPcrs, gatherHello } from "./gather-tpm.ts";
import { planChallenge, randomnessFor } from "./plan.ts";
import { settle } from "./settle.ts";
import { tidyChallenged } from "./tidy.ts";
import type { AttestationWorld, Look } from "./world.ts";

const NONCE_OCTETS = 16;

export async function handleHello(world: AttestationWorld, look: Look): Promise<Next> {
  const facts = await gatherHello(world, look);
  if (look.object.annotations[CHALLENGE_ANNOTATION] !== undefined) {
    const standing = judgeStandingChallenge(facts);
    if (standing.verdict.kind === "NoOpinion") return await tidyChallenged(world, look.csr);
    return await settle(world, look, standing);
  }
  const judgement = judgeTpmHello(facts);
  const isDue = judgement.verdict.kind === "Allow" && look.policy?.mode !== "Shadow";
  return isDue ? await challenge(world, look, facts) : await settle(world, look, judgement);
}

/** Of two replicas one gets `conflict`, and looks again. */
async function challenge(world: AttestationWorld, look: Look, facts: TpmHelloFacts): Promise<Next> {
  const waitMs = world.limits.pace.takeOrWaitMs();
  if (waitMs > 0) return { afterMs: waitMs };
  const { endorsementKey } = facts.keys;
  assert(endorsementKey.ok, "a hello that passed has an endorsement key");
  const { current } = await world.keys.ring();
  const planned = planChallenge(facts, {
    key: current,
    pcrs: demandedPcrs(look.policy),
    nonce: world.randomBytes(NONCE_OCTETS),
    randomness: randomnessFor(endorsementKey.value, world.randomBytes),
  });
  const { name = "", uid, resourceVersion } = look.csr.metadata;
  // A reason to wait that was written before is over now.
  const metadata = { uid, resourceVersion, annotations: { ...planned.annotations, [VERDICT_ANNOTATION]: null } };
  await world.client.patch(CSRS, { name, subresource: "status" }, { metadata }, { type: "merge" });
  for (const alarm of credentialAlarms(facts)) raise(world, look.csr, { ...alarm, node: look.envelope?.node });
  world.log.info("request challenged", {
    audit: true,
    csr: name,
    uid,
    node: look.envelope?.node,
    requester: look.object.requester.username,
    expires: new Date(planned.expiresMs).toISOString(),
  });
  return { afterMs: planned.expiresMs + 60_000 - world.clock.now() };
}
