// subjectKeyIdentifier and authorityKeyIdentifier (RFC 5280 §4.2.1.1, §4.2.1.2): which key signed which certificate.
import { sha1 } from "../../crypto/index.ts";
import {
  contextConstructed,
  contextPrimitive,
  DerReader,
  encodeOctetString,
  encodeSequence,
  encodeTlv,
  readUnsigned,
  readWholeSequence,
  TAG,
} from "../../der/index.ts";
import { Fault } from "../../outcome/index.ts";
import { readGeneralNames } from "../general-names.ts";
import { OID_AUTHORITY_KEY_ID, OID_SUBJECT_KEY_ID } from "../oids.ts";
import type { PublicKey } from "../public-key.ts";
import type { Extension } from "./extension.ts";

/** SHA-1 gives 20 octets, SHA-512 64; a longer identifier identifies nothing better. */
const MAX_KEY_ID_OCTETS = 64;

export function parseSubjectKeyId(value: Uint8Array): Uint8Array {
  const reader = DerReader.over(value);
  const keyId = checkedKeyId(reader.read(TAG.octetString));
  reader.finish();
  return keyId;
}

/** The key identifier, or undefined where the extension names the issuer's certificate instead. */
export function parseAuthorityKeyId(value: Uint8Array): Uint8Array | undefined {
  return readWholeSequence(value, (content) => {
    const keyId = content.nextTag === contextPrimitive(0) ? checkedKeyId(content.read(contextPrimitive(0))) : undefined;
    const issuer = content.enterOptional(contextConstructed(1));
    if (issuer !== undefined) readGeneralNames(issuer);
    const hasSerial = content.nextTag === contextPrimitive(2);
    if (hasSerial) readUnsigned(content, contextPrimitive(2));
    if (hasSerial !== (issuer !== undefined)) {
      throw new Fault("malformed", "authority key identifier must have both issuer and serial number, or neither");
    }
    return keyId;
  });
}

function checkedKeyId(keyId: Uint8Array): Uint8Array {
  if (keyId.length === 0) throw new Fault("malformed", "key identifier must not be empty");
  if (keyId.length > MAX_KEY_ID_OCTETS)
    throw new Fault("limit-exceeded", `key identifier is over ${MAX_KEY_ID_OCTETS} octets`);
  return keyId;
}

/** SHA-1 of the key bits, the first method of RFC 5280 §4.2.1.2 and what Go and OpenSSL write. */
export function computeKeyId(publicKey: PublicKey): Uint8Array {
  return sha1(publicKey.keyBytes);
}

export function subjectKeyIdExtension(keyId: Uint8Array): Extension {
  return { oid: OID_SUBJECT_KEY_ID, critical: false, value: encodeOctetString(keyId) };
}

export function authorityKeyIdExtension(keyId: Uint8Array): Extension {
  const value = encodeSequence([encodeTlv(contextPrimitive(0), [keyId])]);
  return { oid: OID_AUTHORITY_KEY_ID, critical: false, value };
}
