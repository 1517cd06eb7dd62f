// What becomes of a hello, whichever provider's: one that has its challenge waits for its answer, one that passes every rule is
// challenged, every other is told why not. Nothing need be remembered: key ring and request are all it takes to know the challenge
// again. That it is our own is remembered, because a hello changes twice more, once in the moment that its machine waits for.

import { VERDICT_ANNOTATION } from "../../api/certificates/index.ts";
import { CSRS } from "../../api/meta/index.ts";
import { CHALLENGE_ANNOTATION, type ChallengeKeys } from "../../attestation/evidence/index.ts";
import {
  type ChallengeFacts,
  credentialAlarms,
  type EvidenceReading,
  judgeStandingChallenge,
} from "../../attestation/rules/index.ts";
import { raiseAll } from "../judging/alarms.ts";
import { settle } from "../judging/settle.ts";
import { tidyChallenged, UNANSWERED_MS } from "../judging/tidy.ts";
import type { Next } from "../loop/index.ts";
import { type Judging, judgeBeforeRefusing } from "./judge-again.ts";
import type { PlannedChallenge } from "./plan.ts";
import type { AttestationWorld, Look } from "./world.ts";

export const NONCE_OCTETS = 16;

export interface Hello<Facts extends ChallengeFacts> extends Judging<Facts> {
  /** What is written where every rule holds. */
  readonly plan: (facts: Facts, key: ChallengeKeys) => PlannedChallenge;
}

export async function answerHello<Facts extends ChallengeFacts>(
  world: AttestationWorld,
  look: Look,
  hello: Hello<Facts>,
): Promise<Next> {
  const annotation = look.object.annotations[CHALLENGE_ANNOTATION];
  if (annotation !== undefined && ownChallenges.get(look.reading) === annotation)
    return await tidyChallenged(world, look.csr);
  const copied = await hello.gather({ isLive: false });
  if (annotation !== undefined) {
    // A renewal's challenge is for the key that the identity holds.
    const { gather } = hello;
    const { judgement: standing } = await judgeBeforeRefusing(world, { gather, judge: judgeStandingChallenge }, copied);
    if (standing.verdict.kind !== "NoOpinion") return await settle(world, look, standing);
    ownChallenges.set(look.reading, annotation);
    return await tidyChallenged(world, look.csr);
  }
  const { facts, judgement } = await judgeBeforeRefusing(world, hello, copied);
  const isDue = judgement.verdict.kind === "Allow" && look.policy?.mode !== "Shadow";
  if (!isDue) return await settle(world, look, judgement);
  const waitMs = world.limits.pace.takeOrWaitMs();
  if (waitMs > 0) return { afterMs: waitMs };
  const { current } = await world.keys.ring();
  return await write(world, look, { facts, planned: hello.plan(facts, current) });
}

/** The annotation of a request that was found, or made, to be our own; as long as what was read of the request is kept. */
const ownChallenges = new WeakMap<EvidenceReading, string>();

interface Due {
  readonly facts: ChallengeFacts;
  readonly planned: PlannedChallenge;
}

/** Of two replicas one gets `conflict`, and looks again; what there is to tell is told by the other. */
async function write(world: AttestationWorld, look: Look, { facts, planned }: Due): Promise<Next> {
  const { name = "", uid, resourceVersion } = look.csr.metadata;
  // A reason to wait that was written before is over now.
  const told = { ...planned.annotations, [CHALLENGE_ANNOTATION]: planned.challenge, [VERDICT_ANNOTATION]: null };
  const metadata = { uid, resourceVersion, annotations: told };
  await world.client.patch(CSRS, { name, subresource: "status" }, { metadata }, { type: "merge" });
  ownChallenges.set(look.reading, planned.challenge);
  raiseAll(world, look, credentialAlarms(facts));
  world.log.info("request challenged", {
    audit: true,
    csr: name,
    uid,
    node: look.envelope?.node,
    requester: look.object.requester.username,
    expires: new Date(planned.expiresMs).toISOString(),
  });
  return { afterMs: planned.expiresMs + UNANSWERED_MS - world.clock.now() };
}
