// Signature algorithm identifiers (RFC 4055, RFC 5758, RFC 8410). Every algorithm we know has one exact DER spelling,
// so an identifier is compared as bytes with the table: no parameter is parsed, and none can be smuggled in.
import { equalBytes } from "../bytes/index.ts";
import { SIGNATURE_ALGORITHMS, type SignatureAlgorithm } from "../crypto/index.ts";
import { contextConstructed, encodeOid, encodeSequence, encodeTlv, encodeUnsigned, TAG } from "../der/index.ts";
import {
  OID_ECDSA_WITH_SHA256,
  OID_ECDSA_WITH_SHA384,
  OID_ECDSA_WITH_SHA512,
  OID_ED25519,
  OID_MGF1,
  OID_RSA_PSS,
  OID_SHA256,
  OID_SHA256_WITH_RSA,
  OID_SHA384,
  OID_SHA384_WITH_RSA,
  OID_SHA512,
  OID_SHA512_WITH_RSA,
} from "./oids.ts";

const NULL = encodeTlv(TAG.null, []);

const IDENTIFIERS: Readonly<Record<SignatureAlgorithm, Uint8Array>> = {
  "RSA-PKCS1-SHA256": identifier(OID_SHA256_WITH_RSA, NULL),
  "RSA-PKCS1-SHA384": identifier(OID_SHA384_WITH_RSA, NULL),
  "RSA-PKCS1-SHA512": identifier(OID_SHA512_WITH_RSA, NULL),
  "RSA-PSS-SHA256": pssIdentifier(identifier(OID_SHA256, NULL), 32),
  "RSA-PSS-SHA384": pssIdentifier(identifier(OID_SHA384, NULL), 48),
  "RSA-PSS-SHA512": pssIdentifier(identifier(OID_SHA512, NULL), 64),
  "ECDSA-SHA256": identifier(OID_ECDSA_WITH_SHA256),
  "ECDSA-SHA384": identifier(OID_ECDSA_WITH_SHA384),
  "ECDSA-SHA512": identifier(OID_ECDSA_WITH_SHA512),
  Ed25519: identifier(OID_ED25519),
};

/** The same without the NULLs: never written, and RFC 4055 §2.1 and §5 ask every reader to accept it. */
const ALSO_READ: readonly (readonly [SignatureAlgorithm, Uint8Array])[] = [
  ["RSA-PKCS1-SHA256", identifier(OID_SHA256_WITH_RSA)],
  ["RSA-PKCS1-SHA384", identifier(OID_SHA384_WITH_RSA)],
  ["RSA-PKCS1-SHA512", identifier(OID_SHA512_WITH_RSA)],
  ["RSA-PSS-SHA256", pssIdentifier(identifier(OID_SHA256), 32)],
  ["RSA-PSS-SHA384", pssIdentifier(identifier(OID_SHA384), 48)],
  ["RSA-PSS-SHA512", pssIdentifier(identifier(OID_SHA512), 64)],
];

/**
 * "unsupported" is a value, not a Fault: a root signed by itself with SHA-1 is still a name and a key one may trust.
 */
export function signatureAlgorithmOf(raw: Uint8Array): SignatureAlgorithm | "unsupported" {
  for (const algorithm of SIGNATURE_ALGORITHMS) if (equalBytes(raw, IDENTIFIERS[algorithm])) return algorithm;
  return ALSO_READ.find(([, known]) => equalBytes(raw, known))?.[0] ?? "unsupported";
}

export function encodeSignatureAlgorithm(algorithm: SignatureAlgorithm): Uint8Array {
  return IDENTIFIERS[algorithm];
}

function identifier(oid: string, ...parameters: readonly Uint8Array[]): Uint8Array {
  return encodeSequence([encodeOid(oid), ...parameters]);
}

/** The mask is made with the same hash, the salt is as long as it: the only parameters that Go and TLS know. */
function pssIdentifier(hash: Uint8Array, saltLength: number): Uint8Array {
  const parameters = encodeSequence([
    encodeTlv(contextConstructed(0), [hash]),
    encodeTlv(contextConstructed(1), [identifier(OID_MGF1, hash)]),
    encodeTlv(contextConstructed(2), [encodeUnsigned(Uint8Array.of(saltLength))]),
  ]);
  return identifier(OID_RSA_PSS, parameters);
}
