// A recorded exchange as the controller's rules see it: with the challenge key and the clock frozen, and its
// endorsement key listed.

import type { NodeIdentity } from "../../src/api/countersign/index.ts";
import { type RequestObject, readEvidence } from "../../src/attestation/rules/index.ts";
import type { TpmHelloFacts } from "../../src/attestation/tpm/facts.ts";
import {
  judgeOwnedTpmProof,
  judgeTpmHello,
  judgeTpmProof,
  type OwnedProofFacts,
} from "../../src/attestation/tpm/judge.ts";
import { planPins } from "../../src/attestation/tpm/pins.ts";
import type { Seen } from "../../src/kernel/outcome/index.ts";
import { parsePublicArea } from "../../src/kernel/tpm/index.ts";
import {
  anObject,
  CLIENT_SIGNER,
  type Exchange,
  HELLO_UID,
  helloFacts,
  NODE,
  PROOF_UID,
  proofFacts,
} from "./exchange.ts";
import type { SoftTpm } from "./soft-tpm.ts";
import { challengedWith, type RecordedExchange } from "./tpm-exchange.ts";

export interface Replayed {
  readonly hello: TpmHelloFacts;
  readonly proof: OwnedProofFacts;
}

/** `overrides` stand for what the cluster knows besides. */
export function replay(recorded: RecordedExchange, overrides: Partial<OwnedProofFacts> = {}): Replayed {
  const hello = objectOf(recorded.hello, HELLO_UID, ["digital signature"]);
  const proof = objectOf(recorded.proof, PROOF_UID, ["digital signature", "client auth"]);
  const challenged = { ...hello, annotations: challengedWith(recorded.annotation) };
  // Only the endorsement key is asked of it: the policy lists that one.
  const tpm = { ek: endorsementKeyOf(hello) } as SoftTpm;
  const exchange: Exchange = { tpm, hello, challenged, proof };
  return { hello: helloFacts(exchange), proof: proofFacts(exchange, overrides) };
}

/** How far an exchange comes: the first token that is no step forward, or `Attested`. */
export function endOf({ hello, proof }: Replayed): string {
  const asked = judgeTpmHello(hello).verdict.reason;
  if (asked !== "MayBeChallenged") return asked;
  const answered = judgeTpmProof(proof).verdict.reason;
  return answered === "ChallengeAnswered" ? judgeOwnedTpmProof(proof).verdict.reason : answered;
}

/** The identity that an accepted exchange leaves. */
export function pinnedBy({ proof }: Replayed): Seen<NodeIdentity> {
  const value: NodeIdentity = {
    apiVersion: "countersign.dev/v1alpha1",
    kind: "NodeIdentity",
    metadata: { name: NODE },
    spec: { nodeName: NODE },
    status: planPins(proof),
  };
  return { kind: "Present", value };
}

function objectOf(from: RecordedExchange["hello"], uid: string, usages: readonly string[]): RequestObject {
  const request = new Uint8Array(Buffer.from(from.request, "base64"));
  return anObject({ name: from.name, request, signerName: CLIENT_SIGNER, usages }, uid);
}

function endorsementKeyOf({ request }: RequestObject) {
  const { envelope } = readEvidence(request, { signerProvider: "tpm", recipients: [] });
  if (!envelope.ok) throw new Error(envelope.message);
  const { body } = envelope.value.parsed;
  if (body.kind !== "tpm-hello" || body.endorsement === undefined) throw new Error("the hello shows no EK");
  return parsePublicArea(body.endorsement.ek);
}
