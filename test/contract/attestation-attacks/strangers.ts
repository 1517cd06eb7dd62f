// Attackers who have a bootstrap token, or read the requests of others (Threat model).

import { KUBELET_CLIENT_SIGNER } from "../../../src/api/certificates/index.ts";
import { CAPI_MACHINES_V1BETA2 } from "../../../src/api/foreign/machine.ts";
import { CSRS, NAMESPACES } from "../../../src/api/meta/index.ts";
import {
  CHALLENGE_ANNOTATION,
  CONSUMED_BY_ANNOTATION,
  type FinishedRequest,
} from "../../../src/attestation/evidence/index.ts";
import { isFault } from "../../../src/kernel/outcome/index.ts";
import { randomBytes } from "../../../src/platform/keys/index.ts";
import { aCsr, forNode, withSigner } from "../../builders/csr.ts";
import { malleatePkcs10, malleateQuote } from "../../builders/malleate.ts";
import { aSoftTpm } from "../../builders/soft-tpm.ts";
import { type AttestationStage, aFamily, bare, CLIENT_SIGNER, type Csr, ekHash, nameOf } from "../attestation-stage.ts";
import { eventually } from "../controller-stage.ts";
import type { Attacks } from "./attack.ts";

/** The fault with which the API server refuses, or `created`. */
export async function answerTo(create: Promise<Csr>): Promise<string> {
  try {
    await create;
    return "created";
  } catch (error) {
    if (isFault(error)) return error.code;
    throw error;
  }
}

/** A machine that was challenged and has its answer ready; a stranger sees both. */
async function aReadyProof(on: AttestationStage) {
  const scene = await on.aScene();
  const actor = scene.machine();
  const hello = await on.challenged(await actor.hello());
  return { ...scene, actor, hello, proof: actor.answer(hello) };
}

/** The same proof, one signature changed by somebody without the key. */
const requestMalleated = (proof: FinishedRequest) => ({ ...proof, request: malleatePkcs10(proof.request) });
const quoteMalleated = (proof: FinishedRequest) => ({ ...proof, request: malleateQuote(proof.request) });

/** Copies come and are refused; then the original comes, and is issued all the same. */
async function copyFirst(on: AttestationStage, change: (proof: FinishedRequest) => FinishedRequest) {
  const { actor, proof } = await aReadyProof(on);
  const copy = await actor.send({ ...change(proof), name: `my-own-name-${aFamily()}` });
  const reason = await on.refused(copy);
  await on.issued(await actor.send(proof));
  return reason;
}

async function copyAfter(on: AttestationStage, change: (proof: FinishedRequest) => FinishedRequest) {
  const { actor, proof } = await aReadyProof(on);
  const original = await actor.send(proof);
  const answer = await answerTo(actor.send(change(proof)));
  await on.issued(original);
  return answer;
}

export const STRANGER_ATTACKS: Attacks = {
  "1 a client request without evidence": {
    "under Kubernetes' own signer": [
      "EvidenceRequired",
      async (on) => {
        const { node } = await on.aScene();
        const { spec } = aCsr(forNode(node), withSigner(KUBELET_CLIENT_SIGNER));
        return await on.refused(await on.joining.create<Csr>(CSRS, bare(spec)));
      },
    ],
    "under our signer": [
      "EnvelopeMalformed",
      async (on) => {
        const { node } = await on.aScene();
        const { spec } = aCsr(forNode(node), withSigner(CLIENT_SIGNER));
        return await on.refused(await on.joining.create<Csr>(CSRS, bare(spec)));
      },
    ],
  },

  "2 an envelope with a victim's EK and AK, and a key of one's own": {
    "answers with a secret that it made up": [
      "ChallengeFailed",
      async (on) => {
        // The quote itself is good: the strongest stranger has an oracle for it, and still does not know the secret.
        const { machine } = await on.aScene();
        return await on.refused(await on.prove(machine(), { secret: randomBytes(32) }));
      },
    ],
    "answers with a quote of another TPM": [
      "QuoteSignatureInvalid",
      async (on) => {
        const { machine } = await on.aScene();
        return await on.refused(await on.prove(machine(), { secret: randomBytes(32), tpm: aSoftTpm() }));
      },
    ],
  },

  "5 a victim's proof replayed": {
    "while the first is waited with": [
      "ChallengeConsumed",
      async (on) => {
        const { actor, hello, proof, node } = await aReadyProof(on);
        // Without its Machine the proof uses the challenge up and then waits.
        await on.stage.admin.delete(CAPI_MACHINES_V1BETA2, { name: node, namespace: "default" });
        const first = await actor.send(proof);
        await eventually(
          "the challenge to be used up",
          () => on.read(nameOf(hello)),
          ({ metadata }) => metadata.annotations?.[CONSUMED_BY_ANNOTATION] === first.metadata.uid,
        );
        const reason = await on.refused(await actor.send(actor.answer(hello)));
        await on.createMachine(node);
        await on.issued(first);
        return reason;
      },
    ],
    "after it was issued and cleaned up": [
      "ChallengeUnknown",
      async (on) => {
        const { actor, hello, proof } = await aReadyProof(on);
        const first = await on.issued(await actor.send(proof));
        await eventually(
          "the hello to be deleted",
          () => on.stage.admin.list<Csr>(CSRS),
          ({ items }) => items.every(({ metadata }) => metadata.uid !== hello.metadata.uid),
        );
        await on.stage.admin.delete(CSRS, { name: nameOf(first) });
        return await on.refused(await actor.send(proof));
      },
    ],
    "answers after its time": [
      "ChallengeExpired",
      async (on) => {
        const { actor, proof } = await aReadyProof(on);
        const { controller } = on.stage;
        // Past the five minutes and the tolerance between clocks; the challenge is not yet cleaned up.
        controller.skip(335_000);
        try {
          return await on.refused(await actor.send(proof));
        } finally {
          controller.skip(-335_000);
        }
      },
    ],
  },

  "6 a victim's proof copied faster than it is read, or its name taken": {
    "the same bytes once more": ["already-exists", (on) => copyAfter(on, (proof) => proof)],
    "with another signature of the request": ["already-exists", (on) => copyAfter(on, requestMalleated)],
    "with another signature of the quote": ["already-exists", (on) => copyAfter(on, quoteMalleated)],
    "first, under another name": ["NameNotBound", (on) => copyFirst(on, (proof) => proof)],
    "first, under another name, with another signature": ["NameNotBound", (on) => copyFirst(on, requestMalleated)],
    "a hello under another name": [
      "NameNotBound",
      async (on) => {
        const { machine } = await on.aScene();
        const actor = machine({}, { metadata: { name: `my-own-name-${aFamily()}` } });
        return await on.refused(await actor.hello());
      },
    ],
  },

  "7 junk proofs that name a victim's hello": {
    "more than get an answer": [
      "ChallengeFailed",
      async (on) => {
        const { actor, hello, proof } = await aReadyProof(on);
        const junk: Csr[] = [];
        for (let round = 0; round < 10; round++) {
          junk.push(await actor.send(actor.answer(hello, { secret: randomBytes(32) })));
        }
        const [first] = junk;
        const reason = first === undefined ? undefined : await on.refused(first);
        await on.issued(await actor.send(proof));
        return reason;
      },
    ],
  },

  "8 annotations that are the controller's to write": {
    "a challenge": [
      "AnnotationForged",
      async (on) => {
        const { machine } = await on.aScene();
        const actor = machine({}, { metadata: { annotations: { [CHALLENGE_ANNOTATION]: "{}" } } });
        return await on.refused(await actor.hello());
      },
    ],
    "a challenge used up, which harms nobody else": [
      "ChallengeConsumed",
      async (on) => {
        const { machine } = await on.aScene();
        const annotations = { [CONSUMED_BY_ANNOTATION]: "0b8a2c2e-4f52-4c5a-9a55-6b7d1a3c9e10" };
        return await on.refused(await on.prove(machine({}, { metadata: { annotations } })));
      },
    ],
    "an endorsement key, where no guard stands": [
      "EndorsementKeyUntrusted",
      async (on) => {
        const { node } = await on.aScene();
        const tpm = aSoftTpm();
        const annotations = { "cluster.x-k8s.io/tpm-endorsement-key": `sha256:${ekHash(tpm)}` };
        return await on.refused(await on.machineFor(node, {}, { tpm, metadata: { annotations } }).hello());
      },
    ],
  },

  "9 metadata that keeps a request from being deleted": {
    "a finalizer": [
      "MetadataNotAllowed",
      async (on) => {
        const { machine } = await on.aScene();
        return await on.refused(await machine({}, { metadata: { finalizers: ["example.com/mine"] } }).hello());
      },
    ],
    "an owner": [
      "MetadataNotAllowed",
      async (on) => {
        const { machine } = await on.aScene();
        // One that lives: of an absent one a garbage collector would make short work.
        const { metadata } = await on.stage.admin.get(NAMESPACES, { name: "default" });
        const owner = { apiVersion: "v1", kind: "Namespace", name: "default", uid: metadata.uid ?? "" };
        return await on.refused(await machine({}, { metadata: { ownerReferences: [owner] } }).hello());
      },
    ],
  },
};
