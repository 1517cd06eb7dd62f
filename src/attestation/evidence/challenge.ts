// The challenge as it stands in an annotation: "The challenge" in docs/protocols/attestation.md. Nothing of it is
// stored elsewhere: head, secret and MAC are computed from the challenge key and the challenged request.

import { encodeBase64, encodeHex, encodeUtf8, equalBytes } from "../../kernel/bytes/index.ts";
import { hkdfSha256, hmacSha256, sha256 } from "../../kernel/crypto/index.ts";
import { Fault } from "../../kernel/outcome/index.ts";
import { type CanonicalObject, canon, encodeCanonical, parseCanonical } from "./canonical.ts";
import { KEY_ID } from "./envelope.ts";
import { MAX_CHALLENGE_OCTETS } from "./limits.ts";
import { encodeProtocol, type Protocol, parseProtocol } from "./protocol.ts";
import { ObjectReader } from "./schema.ts";

export const CHALLENGE_ANNOTATION = "countersign.dev/challenge";
export const CONSUMED_BY_ANNOTATION = "countersign.dev/consumed-by";
/** Between issue and end, in seconds. */
export const CHALLENGE_SECONDS = { least: 60, usual: 300, most: 600 } as const;

interface ChallengeCore {
  readonly iat: number;
  readonly exp: number;
  readonly kid: string;
  /** 16 octets. */
  readonly nonce: Uint8Array;
  readonly protocol: Protocol;
}

/** PCRs that a policy without a selection asks for: firmware, boot loader and their configuration. */
export const USUAL_PCRS: readonly number[] = [0, 1, 2, 3, 4, 5, 6, 7];

/** What only a TPM's challenge has. */
interface TpmDemand {
  readonly credentialBlob: Uint8Array;
  readonly encryptedSecret: Uint8Array;
  /** Of the SHA-256 bank, ascending. */
  readonly pcrs: readonly number[];
}

export type Challenge =
  | (ChallengeCore & TpmDemand & { readonly alg: "tpm2-credential" })
  | (ChallengeCore & { readonly alg: "nonce" });

/** The challenged side, from the controller's own view of it. */
export interface Challenged {
  readonly cluster: string;
  readonly helloRequest: Uint8Array;
  readonly helloUid: string;
  /** Present for a TPM: the Name of the attestation key, and SHA-256 of the endorsement key's SubjectPublicKeyInfo. */
  readonly tpm?: { readonly akName: Uint8Array; readonly ekHash: Uint8Array } | undefined;
}

export const CHALLENGE_NONCE_OCTETS = 16;
const MAX_PCR = 23;

/** The MAC'd and signed-over members; `pcrs` only for a TPM, whose head the secret is made from. */
function headObject(core: ChallengeCore, challenged: Challenged, pcrs: readonly number[] | undefined): CanonicalObject {
  const { cluster, helloRequest, helloUid, tpm } = challenged;
  return {
    alg: pcrs === undefined ? "nonce" : "tpm2-credential",
    cluster,
    exp: core.exp,
    hello: { request: encodeHex(sha256(helloRequest)), uid: helloUid },
    iat: core.iat,
    kid: core.kid,
    nonce: encodeBase64(core.nonce),
    protocol: encodeProtocol(core.protocol),
    ...(tpm === undefined ? {} : { ak: encodeHex(tpm.akName), ek: encodeHex(tpm.ekHash) }),
    ...(pcrs === undefined ? {} : { pcrs: pcrsObject(pcrs) }),
  };
}

/** `s`: what the credential protects. Never sent, stored or logged. */
export function challengeSecret(
  keys: ChallengeKeys,
  core: ChallengeCore & { readonly pcrs: readonly number[] },
  challenged: Challenged,
): Uint8Array {
  return hmacSha256(keys.secret, encodeCanonical(headObject(core, challenged, core.pcrs)));
}

export function encodeChallenge(keys: ChallengeKeys, challenge: Challenge, challenged: Challenged): string {
  const { iat, exp, kid, nonce, alg, protocol } = challenge;
  return canon({
    alg,
    iat,
    exp,
    kid,
    nonce: encodeBase64(nonce),
    protocol: encodeProtocol(protocol),
    ...demandObject(challenge),
    mac: encodeBase64(challengeMac(keys, challenge, challenged)),
  });
}

/** Whether this controller wrote the annotation. Soundness does not rest on it: altered fields give another secret. */
export function isOwnChallenge(keys: ChallengeKeys, parsed: ParsedChallenge, challenged: Challenged): boolean {
  return equalBytes(challengeMac(keys, parsed.challenge, challenged), parsed.mac);
}

function challengeMac(keys: ChallengeKeys, challenge: Challenge, challenged: Challenged): Uint8Array {
  const pcrs = challenge.alg === "nonce" ? undefined : challenge.pcrs;
  const { pcrs: _, ...credential } = demandObject(challenge);
  return hmacSha256(keys.mac, encodeCanonical({ ...headObject(challenge, challenged, pcrs), ...credential }));
}

function demandObject(challenge: Challenge): CanonicalObject {
  if (challenge.alg === "nonce") return {};
  const { credentialBlob, encryptedSecret, pcrs } = challenge;
  return {
    credentialBlob: encodeBase64(credentialBlob),
    encryptedSecret: encodeBase64(encryptedSecret),
    pcrs: pcrsObject(pcrs),
  };
}

function pcrsObject(pcrs: readonly number[]): CanonicalObject {
  return { bank: "sha256", select: [...pcrs] };
}

export interface ParsedChallenge {
  readonly challenge: Challenge;
  readonly mac: Uint8Array;
}

export function parseChallenge(annotation: string): ParsedChallenge {
  if (annotation.length > MAX_CHALLENGE_OCTETS)
    throw new Fault("limit-exceeded", `challenge must have at most ${MAX_CHALLENGE_OCTETS} octets`);
  const reader = new ObjectReader(parseCanonical(encodeUtf8(annotation)), "challenge");
  const alg = reader.oneOf("alg", ["tpm2-credential", "nonce"] as const);
  const core = readCore(reader);
  const mac = reader.bytes("mac");
  const challenge: Challenge = alg === "nonce" ? { alg, ...core } : { alg, ...core, ...readDemand(reader) };
  reader.finish();
  return { challenge, mac };
}

function readCore(reader: ObjectReader): ChallengeCore {
  const nonce = reader.bytes("nonce");
  if (nonce.length !== CHALLENGE_NONCE_OCTETS)
    throw reader.fault("nonce", `must have ${CHALLENGE_NONCE_OCTETS} octets`);
  const iat = reader.integer("iat");
  const exp = reader.integer("exp");
  if (exp < iat) throw reader.fault("exp", "must not be before iat");
  return { iat, exp, kid: reader.text("kid", KEY_ID), nonce, protocol: parseProtocol(reader.text("protocol", /^.+$/)) };
}

function readDemand(reader: ObjectReader): TpmDemand {
  const pcrs = reader.object("pcrs");
  pcrs.oneOf("bank", ["sha256"] as const);
  const select = pcrs.list("select", MAX_PCR + 1).map(Number);
  pcrs.finish();
  const isAscending = select.every((pcr, index) => pcr <= MAX_PCR && (index === 0 || pcr > (select[index - 1] ?? pcr)));
  if (!isAscending || !select.every(Number.isInteger))
    throw reader.fault("pcrs", "must select PCRs in ascending order");
  return {
    credentialBlob: reader.bytes("credentialBlob"),
    encryptedSecret: reader.bytes("encryptedSecret"),
    pcrs: select,
  };
}

export interface ChallengeKeys {
  /** Eight hexadecimal digits. */
  readonly kid: string;
  readonly secret: Uint8Array;
  readonly mac: Uint8Array;
  readonly beacon: Uint8Array;
}

export const CHALLENGE_KEY_OCTETS = 32;

export function deriveChallengeKeys(kid: string, key: Uint8Array): ChallengeKeys {
  if (key.length !== CHALLENGE_KEY_OCTETS)
    throw new Fault("invalid", `challenge key must have ${CHALLENGE_KEY_OCTETS} octets, got ${key.length}`);
  const derive = (use: string) => hkdfSha256(key, encodeUtf8(`countersign.dev/${use}/1`), 32);
  return { kid, secret: derive("challenge-secret"), mac: derive("challenge-mac"), beacon: derive("beacon") };
}
