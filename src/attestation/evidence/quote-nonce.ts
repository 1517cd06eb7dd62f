// What a quote signs besides the registers (protocol 3.5, 3.9): the digest of the transcript, keyed by the opened secret in an
// exchange, joined with the beacon's nonce in a renewal of one step.
import { concatBytes, encodeUtf8 } from "../../kernel/bytes/index.ts";
import { hmacSha256, sha256 } from "../../kernel/crypto/index.ts";

export function exchangeExtraData(secret: Uint8Array, transcript: Uint8Array): Uint8Array {
  return hmacSha256(secret, concatBytes([encodeUtf8("countersign.dev/quote/1\0"), transcript]));
}

export function beaconExtraData(nonce: Uint8Array, transcript: Uint8Array): Uint8Array {
  return sha256(concatBytes([encodeUtf8("countersign.dev/renew/1\0"), nonce, transcript]));
}
