// The transcript: everything an exchange is about, as one digest `d`. Both sides compute it from their own view; it is
// never sent, so neither can be made to sign what the other did not mean.

import { concatBytes, encodeHex, encodeUtf8 } from "../../kernel/bytes/index.ts";
import { hmacSha256, sha256 } from "../../kernel/crypto/index.ts";
import { type CanonicalObject, encodeCanonical } from "./canonical.ts";
import { type Statement, statementObject } from "./envelope.ts";
import { encodeProtocol, type Protocol } from "./protocol.ts";

interface TranscriptInput {
  readonly statement: Statement;
  readonly protocol: Protocol;
  /** DER SubjectPublicKeyInfo of the key to be certified. */
  readonly spki: Uint8Array;
  /** DER CertificationRequestInfo of this very request. */
  readonly cri: Uint8Array;
  /** What binds the time: a challenge, a beacon, or nothing where the provider's own proof has a time limit. */
  readonly freshness: Freshness;
}

export type Freshness =
  | {
      readonly kind: "challenge";
      readonly helloRequest: Uint8Array;
      readonly helloUid: string;
      readonly annotation: string;
    }
  | { readonly kind: "beacon"; readonly epoch: number; readonly kid: string }
  | { readonly kind: "none" };

export function transcriptDigest(input: TranscriptInput): Uint8Array {
  return sha256(concatBytes([encodeUtf8("countersign.dev/transcript/1\0"), encodeTranscript(input)]));
}

function encodeTranscript({ statement, protocol, spki, cri, freshness }: TranscriptInput): Uint8Array {
  return encodeCanonical({
    ...statementObject(statement),
    protocol: encodeProtocol(protocol),
    spki: hashHex(spki),
    cri: hashHex(cri),
    ...freshnessObject(freshness),
  });
}

function freshnessObject(freshness: Freshness): CanonicalObject {
  switch (freshness.kind) {
    case "challenge": {
      const { helloRequest, helloUid, annotation } = freshness;
      return {
        hello: { request: hashHex(helloRequest), uid: helloUid },
        challenge: hashHex(encodeUtf8(annotation)),
      };
    }
    case "beacon":
      return { beacon: { epoch: freshness.epoch, kid: freshness.kid } };
    case "none":
      return {};
  }
}

function hashHex(bytes: Uint8Array): string {
  return encodeHex(sha256(bytes));
}

/** What a quote signs in addition to the PCRs: the transcript, keyed by the opened secret. */
export function exchangeExtraData(secret: Uint8Array, transcript: Uint8Array): Uint8Array {
  return hmacSha256(secret, concatBytes([encodeUtf8("countersign.dev/quote/1\0"), transcript]));
}

export function beaconExtraData(nonce: Uint8Array, transcript: Uint8Array): Uint8Array {
  return sha256(concatBytes([encodeUtf8("countersign.dev/renew/1\0"), nonce, transcript]));
}
