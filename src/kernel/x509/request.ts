// PKCS #10 certificate requests (RFC 2986): who asks, for which key, with which extensions.
import type { SignatureAlgorithm } from "../crypto/index.ts";
import {
  contextConstructed,
  type DerReader,
  readOctetsInBitString,
  readOid,
  readSmallUnsigned,
  readWholeSequence,
  TAG,
} from "../der/index.ts";
import { Fault } from "../outcome/index.ts";
import { signatureAlgorithmOf } from "./algorithm.ts";
import { type Extension, readExtensions } from "./extensions/extension.ts";
import { type KnownExtensions, parseKnownExtensions } from "./extensions/known.ts";
import { type Name, readName } from "./name.ts";
import { OID_EXTENSION_REQUEST } from "./oids.ts";
import { type PublicKey, parsePublicKey } from "./public-key.ts";

export interface CertificateRequest extends KnownExtensions {
  readonly raw: Uint8Array;
  /** The bytes under the signature. */
  readonly tbs: Uint8Array;
  readonly subject: Name;
  readonly publicKey: PublicKey;
  readonly signatureAlgorithm: SignatureAlgorithm | "unsupported";
  readonly signature: Uint8Array;
  /** Of the extensionRequest attribute. */
  readonly extensions: readonly Extension[];
  /** OIDs of all attributes in order, extensionRequest included. */
  readonly attributes: readonly string[];
}

/** A kubelet's request has 300 octets; one with evidence in extensions a few thousand. */
const MAX_REQUEST_OCTETS = 256 * 1024;
const MAX_ATTRIBUTES = 16;

export function parseCertificateRequest(der: Uint8Array): CertificateRequest {
  if (der.length > MAX_REQUEST_OCTETS) {
    throw new Fault("limit-exceeded", `certificate request is larger than ${MAX_REQUEST_OCTETS} octets`);
  }
  return readWholeSequence(der, (content) => {
    const tbs = content.readRaw(TAG.sequence);
    const signatureAlgorithm = signatureAlgorithmOf(content.readRaw(TAG.sequence));
    const signature = readOctetsInBitString(content);
    return { raw: der, tbs, signatureAlgorithm, signature, ...readWholeSequence(tbs, readTbs) };
  });
}

function readTbs(content: DerReader) {
  const version = readSmallUnsigned(content);
  if (version !== 0) throw new Fault("malformed", `certificate request must be of version 1, got ${version + 1}`);
  const subject = readName(content);
  const publicKey = parsePublicKey(content.readRaw(TAG.sequence));
  const { attributes, extensions } = readAttributes(content.enter(contextConstructed(0)));
  return { subject, publicKey, attributes, extensions, ...parseKnownExtensions(extensions) };
}

/** The order of this SET OF is not checked: Go writes attributes in the order its caller gave them. */
function readAttributes(set: DerReader): { readonly attributes: string[]; readonly extensions: readonly Extension[] } {
  const attributes: string[] = [];
  let extensions: readonly Extension[] = [];
  while (!set.isEmpty) {
    if (attributes.length === MAX_ATTRIBUTES)
      throw new Fault("limit-exceeded", `more than ${MAX_ATTRIBUTES} attributes`);
    const attribute = set.enter(TAG.sequence);
    const oid = readOid(attribute);
    const values = attribute.enter(TAG.set);
    attribute.finish();
    if (attributes.includes(oid)) throw new Fault("malformed", `attribute ${oid} must appear once`);
    attributes.push(oid);
    if (oid !== OID_EXTENSION_REQUEST) continue;
    extensions = readExtensions(values);
    values.finish();
  }
  return { attributes, extensions };
}

/** Whether the request is signed with the key it asks a certificate for. */
export function verifyRequestSignature(request: CertificateRequest): boolean {
  const { signatureAlgorithm: algorithm, tbs: bytes, signature, publicKey } = request;
  return algorithm !== "unsupported" && publicKey.verifier.verify({ algorithm, bytes, signature });
}
