// Carries an exchange out, for every provider: gather, judge, take the step that plan.ts gives, until there is nothing
// more to do for now. All that differs between providers is in their steps (attestation/provider.ts). Each write is
// keyed by the uid of the request, so that a replica that comes after a crash continues where it ended.

import { setImmediate as nextTurn } from "node:timers/promises";
import { VERDICT_ANNOTATION } from "../../../api/certificates/index.ts";
import type { NodeIdentity } from "../../../api/countersign/index.ts";
import { CSRS } from "../../../api/meta/index.ts";
import { CHALLENGE_ANNOTATION, CONSUMED_BY_ANNOTATION, type Envelope } from "../../../attestation/evidence/index.ts";
import type {
  Attested,
  HelloStep,
  PlannedChallenge,
  ProofStep,
  Provider,
  ProviderAnswer,
  ProviderJudgement,
} from "../../../attestation/provider.ts";
import {
  type ChallengeFacts,
  credentialAlarms,
  type EvidenceReading,
  judgeStandingChallenge,
  type ProofFacts,
} from "../../../attestation/rules/index.ts";
import { deny, isFault, type Seen, wait } from "../../../kernel/outcome/index.ts";
import { type ListedHolders, listHolders, type Pinned, pin } from "../../identities/pin.ts";
import type { Next } from "../../loop/index.ts";
import { raiseAll } from "../alarms.ts";
import type { Judgement } from "../judge.ts";
import type { ReadRequest } from "../reading.ts";
import { drop, refusedBy, settle } from "../settle.ts";
import { removeRequest, tidyChallenged, UNANSWERED_MS } from "../tidy.ts";
import { approve, exchangeOf, isRecorded } from "./approve.ts";
import { gatherHello, gatherProof, getHello, NO_HELLO, seeOpenHello, type Wanted } from "./gather.ts";
import { judgeBeforeRefusing } from "./judge-again.ts";
import { planStep } from "./plan.ts";
import type { AttestationWorld, EvidenceLook } from "./world.ts";

export type ReadableLook = EvidenceLook & { readonly envelope: Envelope };

export async function runExchange(world: AttestationWorld, look: ReadableLook, provider: Provider): Promise<Next> {
  const step = provider.steps[look.envelope.step];
  if (step === undefined) {
    // A provider without challenges has no proofs that could be counted against a hello.
    const refuseStep = provider.provesNothing === true ? settle : refuse;
    return await refuseStep(world, look, wrongStep(provider));
  }
  if (step.kind === "hello") return await answerHello(world, look, step);
  return (await proveByCopies(world, look, { provider, step })) ?? (await prove(world, look, { provider, step }));
}

function wrongStep({ name, steps }: Provider): Judgement {
  const message = `provider ${name} proves by ${steps.single === undefined ? "hello and proof" : "one request"}`;
  return { verdict: deny({ rule: "envelope-is-readable", reason: "EnvelopeMalformed", message }), trail: [] };
}

function isShadow({ policy }: EvidenceLook): boolean {
  return policy?.mode === "Shadow";
}

// --- hello → challenge

/** Annotations that were found, or made, to be this controller's; kept as long as what was read of the request is. */
const ownChallenges = new WeakMap<EvidenceReading, string>();

async function answerHello(world: AttestationWorld, look: EvidenceLook, step: HelloStep): Promise<Next> {
  const annotation = look.object.annotations[CHALLENGE_ANNOTATION];
  // A hello changes twice more, once at the moment for which its machine waits.
  if (annotation !== undefined && ownChallenges.get(look.reading) === annotation)
    return await tidyChallenged(world, look.csr);
  const stage = annotation === undefined ? "hello" : "challenged";
  const gather = (wanted: Wanted) => gatherHello(world, look, { step, ...wanted });
  const judge = stage === "hello" ? (facts: ChallengeFacts) => step.judge(facts) : judgeStandingChallenge;
  const copied = await gather({ isLive: false });
  const { facts, judgement } = await judgeBeforeRefusing(world, { gather, judge }, copied);
  switch (planStep({ stage, verdict: judgement.verdict, isShadow: isShadow(look) })) {
    case "keep":
      if (annotation !== undefined) ownChallenges.set(look.reading, annotation);
      return await tidyChallenged(world, look.csr);
    case "challenge":
      return await challenge(world, look, { step, facts });
    default:
      return await settle(world, look, judgement);
  }
}

async function challenge(
  world: AttestationWorld,
  look: EvidenceLook,
  { step, facts }: { readonly step: HelloStep; readonly facts: ChallengeFacts },
): Promise<Next> {
  const waitMs = world.limits.pace.takeOrWaitMs();
  if (waitMs > 0) return { afterMs: waitMs };
  const { current: key } = await world.keys.ring();
  const planned = step.challenge(facts, { key, randomBytes: world.randomBytes });
  await writeChallenge(world, look, planned);
  ownChallenges.set(look.reading, planned.challenge);
  raiseAll(world, look, credentialAlarms(facts));
  world.log.info("request challenged", {
    audit: true,
    csr: look.object.name,
    uid: look.csr.metadata.uid,
    node: look.envelope?.node,
    requester: look.object.requester.username,
    expires: new Date(planned.expiresMs).toISOString(),
  });
  return { afterMs: planned.expiresMs + UNANSWERED_MS - world.clock.now() };
}

/** Of two replicas one gets `conflict`, and looks again; the other reports. */
async function writeChallenge(
  world: AttestationWorld,
  { csr }: EvidenceLook,
  planned: PlannedChallenge,
): Promise<void> {
  const { name = "", uid, resourceVersion } = csr.metadata;
  // The same write removes a reason to wait.
  const told = { ...planned.annotations, [CHALLENGE_ANNOTATION]: planned.challenge, [VERDICT_ANNOTATION]: null };
  const metadata = { uid, resourceVersion, annotations: told };
  await world.client.patch(CSRS, { name, subresource: "status" }, { metadata }, { type: "merge" });
}

// --- proof → used up → pinned → approved

interface Proving {
  readonly provider: Provider;
  readonly step: ProofStep;
}

/** What a proof was found to be, before its challenge is used up. */
interface Proof extends Proving {
  readonly facts: ProofFacts;
  readonly hello: Seen<ReadRequest>;
  readonly judgement: ProviderJudgement;
  /** What the provider's verifier attested, where it has one. */
  readonly proven?: Attested | undefined;
}

/** With the challenge used up. */
interface Owned extends Proof {
  readonly holders: ListedHolders | undefined;
}

async function prove(world: AttestationWorld, look: ReadableLook, { provider, step }: Proving): Promise<Next> {
  const hello = step.kind === "proof" ? await getHello(world, look) : NO_HELLO;
  const gather = (wanted: Wanted) => gatherProof(world, look, { step, hello, ...wanted });
  const judge = (facts: ProofFacts) => step.judge(facts);
  const isLive = step.judgeOwned === undefined;
  const seen = await gather({ isLive });
  const isDone = isLive && isRecorded(seen.identity, look);
  const judged = isLive
    ? { facts: seen, judgement: judge(seen) }
    : await judgeBeforeRefusing(world, { gather, judge }, seen);
  const found = { provider, step, hello, ...judged };
  const proof = isDone ? found : await verify(look, found);
  const { verdict } = proof.judgement;
  switch (planStep({ stage: "proof", verdict, isShadow: isShadow(look), isRecorded: isDone })) {
    case "approve":
      return await approve(world, look, seen.identity);
    case "own":
      return await finish(world, look, await own(world, look, proof));
    case "refuse":
      return await refuse(world, look, proof.judgement);
    default:
      return await settle(world, look, rehearse(proof));
  }
}

/**
 * The same by the copies of hello and identity. That the one can be used up, and the other written, in exactly these
 * versions proves what a live read would have shown. Undefined where that fails, or where there is anything to refuse:
 * then both are read live.
 */
async function proveByCopies(
  world: AttestationWorld,
  look: ReadableLook,
  { provider, step }: Proving,
): Promise<Next | undefined> {
  if (step.judgeOwned === undefined || isShadow(look)) return undefined;
  const hello = await seeOpenHello(world, look);
  if (hello === undefined) return undefined;
  const facts = await gatherProof(world, look, { step, hello, isLive: false });
  const judgement = step.judge(facts);
  if (judgement.verdict.kind !== "Allow" || isRecorded(facts.identity, look)) return undefined;
  try {
    const proof = await verify(look, { provider, step, hello, facts, judgement });
    if (proof.judgement.verdict.kind !== "Allow") return undefined;
    const owned = await own(world, look, proof, facts.identity);
    if (owned.judgement.verdict.kind !== "Allow") return undefined;
    const pinned = await pinProven(world, look, owned);
    return pinned.kind === "Refused" ? undefined : await approvePinned(world, look, owned, pinned.identity);
  } catch (error) {
    if (isFault(error) && OVERTAKEN.has(error.code)) return undefined;
    throw error;
  }
}

/** How a write fails on an object in another version than was judged. */
const OVERTAKEN: ReadonlySet<string> = new Set(["already-exists", "conflict", "invalid", "not-found"]);

/** The provider's verifier is asked where all rules hold: a challenge is used up after it was satisfied. */
async function verify({ signal }: EvidenceLook, proof: Proof): Promise<Proof> {
  const { provider, step, facts, judgement } = proof;
  if (step.verify === undefined || judgement.verdict.kind !== "Allow") return proof;
  const answer = await step.verify(facts, signal);
  if (answer.kind === "Attested") return { ...proof, proven: answer };
  return { ...proof, judgement: { verdict: verdictOf(provider, answer), trail: judgement.trail } };
}

function verdictOf({ name }: Provider, answer: Exclude<ProviderAnswer, Attested>) {
  const said = { rule: `provider-${name}-is-satisfied`, reason: answer.reason, message: answer.message };
  return answer.kind === "Refused" ? deny(said) : wait(said, answer.retryAfterMs);
}

/** What is told where nothing is written: under Shadow, the verdict of the rules after the challenge too. */
function rehearse({ step, facts, judgement }: Proof): ProviderJudgement {
  return judgement.verdict.kind === "Allow" ? (step.judgeOwned?.(facts) ?? judgement) : judgement;
}

/** A proof that did not come as far as its challenge: nothing but the request itself is touched. */
export async function refuse(world: AttestationWorld, look: EvidenceLook, judgement: ProviderJudgement): Promise<Next> {
  const helloUid = look.envelope?.hello?.uid;
  // A request that names no hello is not counted: eight of them would silence every refusal after them.
  const isTold = isShadow(look) || helloUid === undefined || world.limits.junk.mayTell(helloUid);
  return isTold ? await settle(world, look, judgement) : await drop(world, look, { judgement, why: "junk-proof" });
}

/**
 * Uses the challenge up, and meanwhile reads live what the rules after it rest on; but for the identity, where it is
 * given.
 */
async function own(
  world: AttestationWorld,
  look: ReadableLook,
  proof: Proof,
  identity?: Seen<NodeIdentity>,
): Promise<Owned> {
  const { step, hello } = proof;
  if (step.judgeOwned === undefined) {
    await consume(world, look, hello);
    return { ...proof, holders: undefined };
  }
  const read = async () => {
    // The write takes longest: it is on its way before the reads are made.
    await nextTurn();
    return await Promise.all([
      gatherProof(world, look, { step, hello, isLive: true, identity }),
      listHolders(world, proof.facts.identity, step.keyLabel?.(proof.facts)),
    ]);
  };
  const [, [facts, holders]] = await Promise.all([consume(world, look, hello), read()]);
  return { ...proof, facts, holders, judgement: step.judgeOwned?.(facts) ?? proof.judgement };
}

/** `conflict`: the hello was written meanwhile; the loop looks again. */
async function consume(world: AttestationWorld, { object }: EvidenceLook, hello: Seen<ReadRequest>): Promise<void> {
  if (hello.kind !== "Present" || hello.value.object.annotations[CONSUMED_BY_ANNOTATION] !== undefined) return;
  const { name = "", uid, resourceVersion } = hello.value.csr.metadata;
  const metadata = { uid, resourceVersion, annotations: { [CONSUMED_BY_ANNOTATION]: object.uid } };
  await world.client.patch(CSRS, { name, subresource: "status" }, { metadata }, { type: "merge" });
}

async function finish(world: AttestationWorld, look: ReadableLook, owned: Owned): Promise<Next> {
  const { facts, judgement } = owned;
  const { verdict } = judgement;
  const ageMs = facts.nowMs - look.object.createdMs;
  switch (planStep({ stage: "owned", verdict, isRecorded: isRecorded(facts.identity, look), ageMs })) {
    case "approve":
      return await approve(world, look, facts.identity);
    case "end":
      return await end(world, look, owned, judgement);
    case "end-waiting": {
      const message = `waited in vain: ${verdict.reason}: ${verdict.message}`;
      return await end(world, look, owned, refusedBy(judgement, verdict.rule, { reason: "WaitedTooLong", message }));
    }
    case "pin": {
      const pinned = await pinProven(world, look, owned);
      if (pinned.kind === "Pinned") return await approvePinned(world, look, owned, pinned.identity);
      return await end(world, look, owned, refusedBy(judgement, "identity-is-free-to-pin", pinned));
    }
    default:
      return await settle(world, look, judgement);
  }
}

async function pinProven(world: AttestationWorld, look: ReadableLook, owned: Owned): Promise<Pinned> {
  const { step, facts, holders, proven } = owned;
  return await pin(world, {
    nodeName: look.envelope.node,
    intent: look.envelope.intent,
    identity: facts.identity,
    ekLabel: step.keyLabel?.(facts),
    holders,
    pins: step.pins(facts, proven),
    exchange: exchangeOf(look, facts.nowMs),
  });
}

async function approvePinned(
  world: AttestationWorld,
  look: ReadableLook,
  { step, facts, judgement }: Owned,
  identity: NodeIdentity,
): Promise<Next> {
  raiseAll(world, look, step.alarms(facts));
  return await approve(world, look, { kind: "Present", value: identity }, judgement);
}

/** A refusal after the challenge was used up ends the exchange. */
async function end(world: AttestationWorld, look: EvidenceLook, { hello }: Owned, judgement: Judgement): Promise<Next> {
  const next = await settle(world, look, judgement);
  if (hello.kind === "Present") await removeRequest(world, hello.value.csr);
  return next;
}
