// What both ends of a provider exchange: the request that evidence is for, and evidence itself.
import { LIMITS } from "./limits.ts";

/** Raised when a field changes meaning; a provider states the version it was written for. */
export const CONTRACT_VERSION = 1;
export type ContractVersion = typeof CONTRACT_VERSION;

/**
 * A provider's own part of the evidence: canonical JSON. Strings of printable ASCII, integers from 0 to 2^53 − 1,
 * booleans, lists and objects, five levels deep. Bytes travel as base64 text, times as numbers.
 */
export type JsonValue = string | number | boolean | readonly JsonValue[] | JsonObject;
export interface JsonObject {
  readonly [key: string]: JsonValue;
}

/**
 * What keeps old evidence from being used again.
 * `challenge`: the controller asks, the machine answers; the SDK does both, and the nonce is in the digest.
 * `time-limited`: the proof itself ends after some minutes.
 * A provider with neither is insecure, and the conformance suite refuses it.
 */
export type Freshness = "challenge" | "time-limited";

/** The longest a time-limited proof may live: fifteen minutes. */
export const MAX_PROOF_AGE_MS = LIMITS.maxProofAgeMs;

/**
 * The request that evidence is for. `digest` covers all of it, the key and the challenge included: evidence signs the
 * digest.
 */
export interface EvidenceRequest {
  readonly nodeName: string;
  readonly providerId: string;
  readonly intent: "join" | "renew";
  readonly purpose: "client" | "serving";
  readonly signerName: string;
  /** Which cluster the machine means. */
  readonly cluster: string;
  /** `<provider>/<version>`. */
  readonly protocol: string;
  /** DER SubjectPublicKeyInfo of the key to be certified. */
  readonly publicKey: Uint8Array;
  /** 32 octets: SHA-256 over everything above, what was requested, and the challenge where there is one. */
  readonly digest: Uint8Array;
}
