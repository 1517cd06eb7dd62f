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
  READABLE_RULES,
} from "../../attestation/verifiers/index.ts";
import type { Judgement } from "../approval/index.ts";
import type { Next } from "../loop/index.ts";
import { raiseAll } from "./alarms.ts";
import type { Wanted } from "./gather.ts";
import type { PlannedChallenge } from "./plan.ts";
import { settle } from "./settle.ts";
import { tidyChallenged, UNANSWERED_MS } from "./tidy.ts";
import type { AttestationWorld, Look } from "./world.ts";

export const NONCE_OCTETS = 16;

export interface Hello<Facts extends ChallengeFacts> {
  readonly gather: (wanted: Wanted) => Promise<Facts>;
  readonly judge: (facts: Facts) => Judgement;
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
    const standing = judgeStandingChallenge(copied);
    if (standing.verdict.kind !== "NoOpinion") return await settle(world, look, standing);
    ownChallenges.set(look.reading, annotation);
    return await tidyChallenged(world, look.csr);
  }
  const { facts, judgement } = await judgeHello(world, hello, copied);
  const isDue = judgement.verdict.kind === "Allow" && look.policy?.mode !== "Shadow";
  if (!isDue) return await settle(world, look, judgement);
  const waitMs = world.limits.pace.takeOrWaitMs();
  if (waitMs > 0) return { afterMs: waitMs };
  const { current } = await world.keys.ring();
  return await write(world, look, { facts, planned: hello.plan(facts, current) });
}

/**
 * By copies, and before it is refused, by what the server says now: a refusal is final, and a machine may come in the moment after its
 * operator enrolled it, reset it, or deleted the Node that had its name. In a flood of refusals nobody is asked: they may begin anew.
 */
async function judgeHello<Facts extends ChallengeFacts>(
  { limits }: AttestationWorld,
  { gather, judge }: Hello<Facts>,
  copied: Facts,
) {
  const judgement = judge(copied);
  const { kind, rule } = judgement.verdict;
  const isAboutTheRequest = READABLE_RULES.some(({ id }) => id === rule);
  if (kind !== "Deny" || isAboutTheRequest || limits.overflow.isOver()) return { facts: copied, judgement };
  const facts = await gather({ isLive: true });
  return { facts, judgement: judge(facts) };
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
