// The beacon: a public nonce for every five minutes, computed and not stored ("Renewal by beacon" in
// docs/protocols/attestation.md). It proves that a quote is young; the pinned attestation key proves which machine made
// it.

import { encodeBase64, encodeUtf8 } from "../../kernel/bytes/index.ts";
import { hmacSha256 } from "../../kernel/crypto/index.ts";
import { Fault } from "../../kernel/outcome/index.ts";
import { canon, encodeCanonical, parseCanonical } from "./canonical.ts";
import type { ChallengeKeys } from "./challenge.ts";
import { KEY_ID } from "./envelope.ts";
import { ObjectReader } from "./schema.ts";

export const BEACON_CONFIG_MAP = { namespace: "kube-public", name: "countersign-beacon", key: "beacon" } as const;
const BEACON_SECONDS = 300;

export interface Beacon {
  readonly epoch: number;
  readonly kid: string;
  readonly nonce: Uint8Array;
}

const NONCE_OCTETS = 32;
const MAX_BEACON_CHARACTERS = 512;

export function beaconEpoch(nowMs: number): number {
  return Math.floor(nowMs / 1000 / BEACON_SECONDS);
}

export function beaconNonce(keys: ChallengeKeys, epoch: number, cluster: string): Uint8Array {
  return hmacSha256(keys.beacon, encodeCanonical({ cluster, epoch }));
}

export function encodeBeacon({ epoch, kid, nonce }: Beacon): string {
  return canon({ epoch, kid, nonce: encodeBase64(nonce) });
}

export function parseBeacon(text: string): Beacon {
  if (text.length > MAX_BEACON_CHARACTERS) throw new Fault("limit-exceeded", "beacon is too long");
  const reader = new ObjectReader(parseCanonical(encodeUtf8(text)), "beacon");
  const beacon = { epoch: reader.integer("epoch"), kid: reader.text("kid", KEY_ID), nonce: reader.bytes("nonce") };
  reader.finish();
  if (beacon.nonce.length !== NONCE_OCTETS) throw reader.fault("nonce", `must have ${NONCE_OCTETS} octets`);
  return beacon;
}
