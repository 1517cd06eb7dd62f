// Exchanges with a TPM that answers over its socket, under any attestation key a forger may choose; and the files in
// which they are kept so that they can be replayed without one (test/vectors/attestation).

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import {
  CHALLENGE_ANNOTATION,
  challengeSecret,
  draftRequest,
  encodeChallenge,
  exchangeExtraData,
  finishRequest,
  parseChallenge,
  transcriptDigest,
} from "../../src/attestation/evidence/index.ts";
import { type RequestObject, readEvidence } from "../../src/attestation/rules/index.ts";
import { sha256 } from "../../src/kernel/crypto/index.ts";
import {
  ALGORITHM,
  activateCredential,
  type Credential,
  createPrimary,
  EK_TEMPLATES,
  HANDLE,
  type LoadedKey,
  makeCredential,
  nameOf,
  type PublicArea,
  parsePublicArea,
  policySecret,
  publicKeyOf,
  quote,
  startPolicySession,
} from "../../src/kernel/tpm/index.ts";
import type { PublicAreaFields } from "../../src/kernel/tpm/public-area.ts";
import { generatePrivateKey, randomBytes } from "../../src/platform/keys/index.ts";
import { readPcrs, type Tpm, withHandle, withSession } from "../../src/platform/tpm/index.ts";
import { anObject, CLUSTER, HELLO_UID, KEYS, NOW_MS, PCRS, PROOF_UID, PROTOCOL, someStatement } from "./exchange.ts";

/** One exchange in a file: what travelled, and nothing else. */
export interface RecordedExchange {
  readonly hello: { readonly name: string; readonly request: string };
  readonly annotation: string;
  readonly proof: { readonly name: string; readonly request: string };
}

const VECTORS = join(import.meta.dirname, "../vectors/attestation");

/** Writes a vector where COUNTERSIGN_RECORD=1 asks for it. */
export function recordVector(file: string, content: object): void {
  if (process.env["COUNTERSIGN_RECORD"] !== "1") return;
  const about = "Made with swtpm; throw-away keys of a simulator";
  writeFileSync(join(VECTORS, file), `${JSON.stringify({ about, ...content }, undefined, 2)}\n`);
}

export function textOf({ name, request }: RequestObject): RecordedExchange["hello"] {
  return { name, request: Buffer.from(request).toString("base64") };
}

/** What the controller would write on a hello. */
export function challengeByController(hello: RequestObject): string {
  const reading = readEvidence(hello.request, { signerProvider: "tpm", recipients: [] });
  if (!reading.envelope.ok) throw new Error(reading.envelope.message);
  const { body } = reading.envelope.value.parsed;
  if (body.kind !== "tpm-hello" || body.endorsement === undefined) throw new Error("no hello");
  const ek = parsePublicArea(body.endorsement.ek);
  const side = { akName: nameOf(parsePublicArea(body.ak)), ekHash: sha256(publicKeyOf(ek).spki) };
  const challenged = { cluster: CLUSTER, helloRequest: hello.request, helloUid: hello.uid, tpm: side };
  const iat = Math.floor(NOW_MS / 1000);
  const core = { iat, exp: iat + 300, kid: KEYS.kid, nonce: randomBytes(16), protocol: PROTOCOL, pcrs: PCRS };
  const secret = challengeSecret(KEYS, core, challenged);
  const made = makeCredential({
    endorsementKey: ek,
    objectName: side.akName,
    secret,
    randomness: credentialRandomness(ek),
  });
  return encodeChallenge(KEYS, { alg: "tpm2-credential", ...core, ...made }, challenged);
}

export function credentialRandomness(ek: PublicArea) {
  const octets = ek.nameAlgorithm === ALGORITHM.sha256 ? 32 : 48;
  const scalar = randomBytes(octets);
  scalar[0] = 1; // below the order of every curve
  return ek.type === "rsa"
    ? ({ kind: "rsa", seed: randomBytes(octets), oaepSeed: randomBytes(octets) } as const)
    : ({ kind: "ecc", scalar } as const);
}

/** ActivateCredential with an endorsement key of the low range. */
export async function openWith(
  tpm: Tpm,
  keys: { readonly ek: number; readonly ak: number },
  credential: Credential,
): Promise<Uint8Array> {
  return withSession(tpm, startPolicySession(new Uint8Array(16)), async (session) => {
    await tpm.send(policySecret(HANDLE.endorsement, session));
    const handles = { attestationKey: keys.ak, endorsementKey: keys.ek };
    return tpm.send(activateCredential({ ...handles, credential, session }));
  });
}

export interface ChosenKey {
  /** Where the attestation key lives. */
  readonly hierarchy: number;
  readonly template: PublicAreaFields;
}

/** A whole exchange as an agent with this attestation key would make it, whatever a controller says to it. */
export function exchangeOverTpm(tpm: Tpm, chosen: ChosenKey): Promise<RecordedExchange> {
  return withHandle(tpm, createPrimary(HANDLE.endorsement, EK_TEMPLATES["L-2"]), (ek) =>
    withHandle(tpm, createPrimary(chosen.hierarchy, chosen.template), (ak) => exchangeWithKeys(tpm, ek, ak)),
  );
}

async function exchangeWithKeys(tpm: Tpm, ek: LoadedKey, ak: LoadedKey): Promise<RecordedExchange> {
  const input = { statement: someStatement(), protocol: PROTOCOL, key: generatePrivateKey("P-256").signer };
  const endorsement = { ek: ek.publicArea.raw, ekChain: [] };
  const body = { kind: "tpm-hello", ak: ak.publicArea.raw, endorsement } as const;
  const hello = anObject(finishRequest(draftRequest({ ...input, step: "hello" }), { body }), HELLO_UID);
  const annotation = challengeByController(hello);
  const { challenge } = parseChallenge(annotation);
  if (challenge.alg !== "tpm2-credential") throw new Error("no challenge for a TPM");
  const secret = await openWith(tpm, { ek: ek.handle, ak: ak.handle }, challenge);
  const draft = draftRequest({ ...input, step: "proof" });
  const freshness = { kind: "challenge", helloRequest: hello.request, helloUid: HELLO_UID, annotation } as const;
  const digest = transcriptDigest({ ...input, spki: draft.spki, cri: draft.cri, freshness });
  const selections = [{ hash: ALGORITHM.sha256, pcrs: PCRS }];
  const quoted = await tpm.send(quote({ key: ak.handle, extraData: exchangeExtraData(secret, digest), selections }));
  const pcrs = await readPcrs(tpm, ALGORITHM.sha256, PCRS);
  const proof = finishRequest(draft, {
    body: { kind: "tpm-proof", ...quoted, pcrs },
    hello: { name: hello.name, uid: HELLO_UID },
  });
  return { hello: textOf(hello), annotation, proof: textOf(anObject(proof, PROOF_UID)) };
}

/** The annotations of a hello that was challenged. */
export const challengedWith = (annotation: string) => ({ [CHALLENGE_ANNOTATION]: annotation });
