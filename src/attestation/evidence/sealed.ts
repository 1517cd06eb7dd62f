// Sealed evidence: the envelope encrypted to the controller, because every node and every token holder
// may list certificate requests, and an endorsement key is a serial number for life.
//   01 ‖ key id (8) ‖ ephemeral point (65) ‖ AES-256-GCM(envelope) and tag
//   associated data: SHA-256 of the CertificationRequestInfo

import { concatBytes, encodeBase64, encodeHex, encodeUtf8, parseBase64, parseHex } from "../../kernel/bytes/index.ts";
import {
  agree,
  decryptGcm,
  type EcPoint,
  encryptGcm,
  hkdfSha256,
  publicPointOf,
  sha256,
} from "../../kernel/crypto/index.ts";
import { Fault } from "../../kernel/outcome/index.ts";

const RECIPIENT_ID_OCTETS = 8;
const MARK = 0x01;
const POINT_OCTETS = 65;
const HEADER_OCTETS = 1 + RECIPIENT_ID_OCTETS + POINT_OCTETS;
const OPENING_BRACE = 0x7b;

/** To whom a node seals: a P-256 point, from the bootstrap data. */
export interface Recipient {
  readonly id: Uint8Array;
  readonly point: EcPoint;
}

/** As bootstrap data and flags have it: the key id in hex, a colon, the uncompressed point in base64. */
export function encodeRecipient({ id, point }: Recipient): string {
  return `${encodeHex(id)}:${encodeBase64(encodePoint(point))}`;
}

export function parseRecipient(text: string): Recipient {
  const [, id = "", point = ""] = RECIPIENT.exec(text) ?? [];
  if (id === "")
    throw new Fault("malformed", "evidence recipient must be 16 hex digits, a colon and a point in base64");
  const octets = parseBase64(point);
  if (octets.length !== POINT_OCTETS)
    throw new Fault("malformed", `recipient's point must have ${POINT_OCTETS} octets`);
  return { id: parseHex(id), point: parsePoint(octets) };
}

const RECIPIENT = /^([0-9a-f]{16}):([A-Za-z0-9+/]{1,100}={0,2})$/;

/** The controller's half. */
export interface RecipientKey {
  readonly id: Uint8Array;
  readonly scalar: Uint8Array;
}

export function isSealed(content: Uint8Array): boolean {
  return content[0] !== OPENING_BRACE;
}

/** `ephemeralScalar`: fresh for every request, 32 random octets. */
export function sealEnvelope(
  envelope: Uint8Array,
  options: { readonly recipient: Recipient; readonly ephemeralScalar: Uint8Array; readonly cri: Uint8Array },
): Uint8Array {
  const { recipient, ephemeralScalar, cri } = options;
  if (recipient.id.length !== RECIPIENT_ID_OCTETS) throw new Fault("invalid", "recipient's key id must have 8 octets");
  const ephemeral = publicPointOf("P-256", ephemeralScalar);
  const shared = agree("P-256", ephemeralScalar, recipient.point);
  const gcm = gcmOptions({ shared, ephemeral, recipient: recipient.point, cri });
  return concatBytes([Uint8Array.of(MARK), recipient.id, encodePoint(ephemeral), encryptGcm(gcm, envelope)]);
}

/** `untrusted` for an unknown key id and a bad tag. */
export function openEnvelope(content: Uint8Array, keys: readonly RecipientKey[], cri: Uint8Array): Uint8Array {
  if (content[0] !== MARK || content.length <= HEADER_OCTETS)
    throw new Fault("untrusted", "sealed evidence must begin with its mark, key id and point");
  const id = encodeHex(content.subarray(1, 1 + RECIPIENT_ID_OCTETS));
  const key = keys.find((candidate) => encodeHex(candidate.id) === id);
  if (key === undefined) throw new Fault("untrusted", `evidence is sealed to key ${id}, which is not ours`);
  const ephemeral = parsePoint(content.subarray(1 + RECIPIENT_ID_OCTETS, HEADER_OCTETS));
  const shared = agree("P-256", key.scalar, ephemeral);
  const gcm = gcmOptions({ shared, ephemeral, recipient: publicPointOf("P-256", key.scalar), cri });
  return decryptGcm(gcm, content.subarray(HEADER_OCTETS));
}

interface Agreement {
  readonly shared: Uint8Array;
  readonly ephemeral: EcPoint;
  readonly recipient: EcPoint;
  readonly cri: Uint8Array;
}

function gcmOptions({ shared, ephemeral, recipient, cri }: Agreement) {
  const info = concatBytes([encodeUtf8("countersign.dev/seal/1\0"), encodePoint(ephemeral), encodePoint(recipient)]);
  const material = hkdfSha256(shared, info, 44);
  return { key: material.subarray(0, 32), iv: material.subarray(32), associated: sha256(cri) };
}

function encodePoint({ x, y }: EcPoint): Uint8Array {
  return concatBytes([Uint8Array.of(4), x, y]);
}

function parsePoint(bytes: Uint8Array): EcPoint {
  if (bytes[0] !== 4) throw new Fault("untrusted", "sealed evidence must carry an uncompressed point");
  return { x: bytes.subarray(1, 33), y: bytes.subarray(33) };
}
