// Requests of installed providers (protocol 5): the rules that are not the provider's own matter, then its verifier's answer, then pins
// and approval as for every other. A provider whose proof has no time limit is challenged with a nonce first.

import type { NodeIdentityStatus } from "../../api/countersign/index.ts";
import {
  type CanonicalObject,
  CHALLENGE_ANNOTATION,
  type Challenged,
  type Envelope,
  encodeProtocol,
  type Freshness,
  parseChallenge,
  transcriptDigest,
} from "../../attestation/evidence/index.ts";
import {
  attempt,
  type ChallengeFacts,
  credentialAlarms,
  type EvidenceFacts,
  isOpened,
  pinsOf,
} from "../../attestation/rules/index.ts";
import { judgeInstalledHello, judgeInstalledProof, judgeInstalledSingle } from "../../attestation/sdk/verifier.ts";
import { assert, deny, type Judgement, type Seen, wait } from "../../kernel/outcome/index.ts";
import { pin } from "../identities/pin.ts";
import { raiseAll } from "../judging/alarms.ts";
import type { ReadRequest } from "../judging/requests.ts";
import { refusedBy } from "../judging/settle.ts";
import type { Next } from "../loop/index.ts";
import { approve, exchangeOf, isRecorded } from "./approve.ts";
import { answerHello, NONCE_OCTETS } from "./challenge.ts";
import { gatherEvidence } from "./gather.ts";
import { envelopeOf, getHello } from "./gather-tpm.ts";
import { planNonceChallenge } from "./plan.ts";
import { consume, end, refuseProof } from "./proof.ts";
import type { AttestationWorld, Look, ProviderAnswer, ProviderQuestion, ProviderVerifier } from "./world.ts";

type ReadLook = Look & { readonly envelope: Envelope };

const NO_HELLO: Seen<ReadRequest> = { kind: "Absent" };

export async function handleOther(world: AttestationWorld, look: ReadLook, verifier: ProviderVerifier): Promise<Next> {
  const isChallenged = verifier.freshness === "challenge";
  if (isChallenged && look.envelope.step === "hello") return await handleHello(world, look);
  if (isChallenged && look.envelope.step === "proof") return await handleProof(world, look, verifier);
  const facts = await gatherEvidence(world, look, { isLive: true });
  const judgement = isChallenged || look.envelope.step !== "single" ? wrongStep(verifier) : judgeInstalledSingle(facts);
  return await finish(world, look, { verifier, facts, judgement, hello: NO_HELLO });
}

function wrongStep({ name, freshness }: ProviderVerifier): Judgement {
  const message = `provider ${name} proves by ${freshness === "challenge" ? "hello and proof" : "one request"}`;
  return { verdict: deny({ rule: "envelope-is-readable", reason: "EnvelopeMalformed", message }), trail: [] };
}

async function handleHello(world: AttestationWorld, look: ReadLook): Promise<Next> {
  return await answerHello(world, look, {
    gather: async (wanted) => {
      const common = await gatherEvidence(world, look, wanted);
      const ring = await world.keys.ring();
      return { ...common, challengeKeys: ring.all, challenged: challengedSide(look) };
    },
    judge: judgeInstalledHello,
    plan: (facts, key) => planNonceChallenge(facts, { key, nonce: world.randomBytes(NONCE_OCTETS) }),
  });
}

function challengedSide({ envelope, object }: ReadLook): ChallengeFacts["challenged"] {
  const value: Challenged = { cluster: envelope.cluster, helloRequest: object.request, helloUid: object.uid };
  return { ok: true, value };
}

async function handleProof(world: AttestationWorld, look: ReadLook, verifier: ProviderVerifier): Promise<Next> {
  const hello = await getHello(world, look);
  const common = await gatherEvidence(world, look, { isLive: true });
  const read = hello.kind === "Present" ? helloLook(look, hello.value) : undefined;
  const annotation = read?.object.annotations[CHALLENGE_ANNOTATION] ?? "";
  const parsed = attempt("ChallengeForged", () => parseChallenge(annotation));
  const ring = await world.keys.ring(parsed.ok ? parsed.value.challenge.kid : undefined);
  const challenged = read === undefined ? UNCHALLENGED : challengedSide(read);
  const facts = { ...common, challengeKeys: ring.all, challenged, hello };
  return await finish(world, look, { verifier, facts, judgement: judgeInstalledProof(facts), hello });
}

const UNCHALLENGED = { ok: false, reason: "ChallengeUnknown", message: "nothing was challenged" } as const;

function helloLook(look: ReadLook, hello: ReadRequest): ReadLook | undefined {
  const envelope = envelopeOf(hello);
  return envelope === undefined ? undefined : { ...look, ...hello, envelope };
}

interface Asked {
  readonly verifier: ProviderVerifier;
  readonly facts: EvidenceFacts;
  readonly judgement: Judgement;
  readonly hello: Seen<ReadRequest>;
}

/** The challenge is used up after the verifier was satisfied: only who proved something can use it up. */
async function finish(world: AttestationWorld, look: ReadLook, asked: Asked): Promise<Next> {
  const { verifier, facts, judgement, hello } = asked;
  if (isRecorded(facts.identity, look)) return await approve(world, look, facts.identity);
  if (judgement.verdict.kind !== "Allow") return await refuseProof(world, look, judgement);
  const answer = await verifier.ask(questionFor(look, asked), { signal: look.signal });
  if (answer.kind !== "Attested" || look.policy?.mode === "Shadow")
    return await refuseProof(world, look, judgementOf(judgement, verifier, answer));
  await consume(world, look, hello);
  const pinned = await pin(world, {
    nodeName: look.envelope.node,
    intent: look.envelope.intent,
    identity: facts.identity,
    ekLabel: undefined,
    pins: planPins(facts, look, answer),
    exchange: exchangeOf(look, facts.nowMs),
  });
  if (pinned.kind === "Refused")
    return await end(world, look, hello, refusedBy(judgement, "identity-is-free-to-pin", pinned));
  // Who was challenged was told of then.
  if (verifier.freshness !== "challenge") raiseAll(world, look, credentialAlarms(facts));
  return await approve(world, look, { kind: "Present", value: pinned.identity }, judgement);
}

function judgementOf(judgement: Judgement, { name }: ProviderVerifier, answer: ProviderAnswer): Judgement {
  const rule = `provider-${name}-is-satisfied`;
  if (answer.kind === "Attested") return judgement;
  const said = { rule, reason: answer.reason, message: answer.message };
  const verdict = answer.kind === "Refused" ? deny(said) : wait(said, answer.retryAfterMs);
  return { verdict, trail: judgement.trail };
}

function questionFor(look: ReadLook, { facts, hello }: Asked): ProviderQuestion {
  const { envelope, object, reading } = look;
  assert(reading.request.ok, "a provider is asked after the request was read");
  const { publicKey, tbs, subjectAltNames } = reading.request.value.parsed;
  const { node, providerId, intent, purpose, signer, cluster, protocol } = envelope;
  const freshness = freshnessOf(hello);
  const digest = transcriptDigest({ claims: envelope, protocol, spki: publicKey.spki, cri: tbs, freshness });
  const sent = hello.kind === "Present" ? envelopeOf(hello.value) : undefined;
  return {
    nowMs: facts.nowMs,
    request: {
      ...{ nodeName: node, providerId, intent, purpose, signerName: signer, cluster, digest },
      protocol: encodeProtocol(protocol),
      publicKey: publicKey.spki,
    },
    evidence: bodyOf(envelope) ?? {},
    hello: sent === undefined ? undefined : bodyOf(sent),
    requester: object.requester,
    machine: facts.machines.kind === "Present" ? facts.machines.value[0] : undefined,
    // An identity that an operator opened holds the machine to nothing, whoever verifies it.
    pins: isOpened(facts, envelope) ? undefined : pinsOf(facts.identity)?.pins,
    names: [...(subjectAltNames?.dnsNames ?? []), ...(subjectAltNames?.ipAddresses ?? [])],
  };
}

function bodyOf({ body }: Envelope): CanonicalObject | undefined {
  return body.kind === "installed" ? body.value : undefined;
}

function freshnessOf(hello: Seen<ReadRequest>): Freshness {
  if (hello.kind !== "Present") return { kind: "none" };
  const { object } = hello.value;
  const annotation = object.annotations[CHALLENGE_ANNOTATION] ?? "";
  return { kind: "challenge", helloRequest: object.request, helloUid: object.uid, annotation };
}

function planPins(
  { machines, nowMs }: EvidenceFacts,
  { envelope }: ReadLook,
  { pins, level }: Extract<ProviderAnswer, { kind: "Attested" }>,
): NodeIdentityStatus {
  const machine = machines.kind === "Present" ? machines.value[0] : undefined;
  return {
    phase: "Active",
    provider: envelope.protocol.provider,
    protocolFloor: encodeProtocol(envelope.protocol),
    providerId: envelope.providerId,
    ...(machine === undefined
      ? {}
      : { machine: { namespace: machine.namespace, name: machine.name, uid: machine.uid } }),
    pins,
    level,
    attestedAt: new Date(nowMs).toISOString(),
  };
}
