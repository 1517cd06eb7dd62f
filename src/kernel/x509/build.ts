// Building certificates and requests: a template in, signed DER out. The signer only signs; what may be signed is
// decided by the maker of the template, and checked by reading the finished bytes again.
import type { SignatureAlgorithm } from "../crypto/index.ts";
import {
  contextConstructed,
  encodeBitString,
  encodeOid,
  encodeSequence,
  encodeSetOf,
  encodeTime,
  encodeTlv,
  encodeUnsigned,
} from "../der/index.ts";
import { Fault } from "../outcome/index.ts";
import { encodeSignatureAlgorithm } from "./algorithm.ts";
import { type Extension, encodeExtensions } from "./extensions/extension.ts";
import { encodeName, type NameTemplate } from "./name.ts";
import { OID_EXTENSION_REQUEST } from "./oids.ts";

/** A held private key. Implemented by platform/keys; synchronous, so that the pure zone may call it. */
export interface Signer {
  /** SubjectPublicKeyInfo. */
  readonly publicKey: Uint8Array;
  readonly algorithm: SignatureAlgorithm;
  sign(bytes: Uint8Array): Uint8Array;
}

export interface CertificateTemplate {
  /** Magnitude, most significant octet first. */
  readonly serialNumber: Uint8Array;
  /** Raw where it must stay byte for byte what the request said. */
  readonly subject: NameTemplate | Uint8Array;
  /** The issuer's subject, raw. */
  readonly issuer: Uint8Array;
  readonly notBeforeMs: number;
  readonly notAfterMs: number;
  /** SubjectPublicKeyInfo. */
  readonly publicKey: Uint8Array;
  readonly extensions: readonly Extension[];
}

interface RequestTemplate {
  readonly subject: NameTemplate | Uint8Array;
  readonly extensions?: readonly Extension[];
}

const VERSION_3 = encodeTlv(contextConstructed(0), [encodeUnsigned(Uint8Array.of(2))]);
const REQUEST_VERSION_1 = encodeUnsigned(Uint8Array.of(0));
/** RFC 5280 §4.1.2.2: 20 octets on the wire, sign included. */
const MAX_SERIAL_BITS = 159;

export function signCertificate(template: CertificateTemplate, signer: Signer): Uint8Array {
  checkSerialNumber(template.serialNumber);
  const algorithm = encodeSignatureAlgorithm(signer.algorithm);
  const { extensions } = template;
  const tbs = encodeSequence([
    VERSION_3,
    encodeUnsigned(template.serialNumber),
    algorithm,
    template.issuer,
    encodeSequence([encodeTime(template.notBeforeMs), encodeTime(template.notAfterMs)]),
    encodeSubject(template.subject),
    template.publicKey,
    ...(extensions.length === 0 ? [] : [encodeTlv(contextConstructed(3), [encodeExtensions(extensions)])]),
  ]);
  return encodeSequence([tbs, algorithm, encodeBitString(signer.sign(tbs))]);
}

export function signCertificateRequest(template: RequestTemplate, signer: Signer): Uint8Array {
  const { extensions = [] } = template;
  const tbs = encodeSequence([
    REQUEST_VERSION_1,
    encodeSubject(template.subject),
    signer.publicKey,
    encodeTlv(contextConstructed(0), extensions.length === 0 ? [] : [encodeExtensionRequest(extensions)]),
  ]);
  return encodeSequence([tbs, encodeSignatureAlgorithm(signer.algorithm), encodeBitString(signer.sign(tbs))]);
}

function encodeExtensionRequest(extensions: readonly Extension[]): Uint8Array {
  return encodeSequence([encodeOid(OID_EXTENSION_REQUEST), encodeSetOf([encodeExtensions(extensions)])]);
}

function encodeSubject(subject: NameTemplate | Uint8Array): Uint8Array {
  return subject instanceof Uint8Array ? subject : encodeName(subject);
}

function checkSerialNumber(serialNumber: Uint8Array): void {
  const first = serialNumber.findIndex((octet) => octet !== 0);
  if (first < 0) throw new Fault("invalid", "serial number must not be zero");
  const bits = (serialNumber.length - first - 1) * 8 + (32 - Math.clz32(serialNumber[first] ?? 0));
  if (bits > MAX_SERIAL_BITS)
    throw new Fault("invalid", `serial number must have at most ${MAX_SERIAL_BITS} bits, got ${bits}`);
}
