// The provider ID in a PKCS#10: the extension 1.3.6.1.4.1.11129.2.1.21 of *Cluster API Kubelet Authentication*, a DER
// UTF8String, not critical.

import { encodeUtf8, parseUtf8 } from "../../kernel/bytes/index.ts";
import { DerReader, encodeTlv, TAG } from "../../kernel/der/index.ts";
import { Fault, isFault } from "../../kernel/outcome/index.ts";
import { type CertificateRequest, type Extension, findExtension } from "../../kernel/x509/index.ts";
import { MAX_PROVIDER_ID_CHARACTERS } from "./limits.ts";

export const OID_PROVIDER_ID = "1.3.6.1.4.1.11129.2.1.21";

const PROVIDER_ID = new RegExp(`^[\\x21-\\x7e](?:[\\x20-\\x7e]{0,${MAX_PROVIDER_ID_CHARACTERS - 2}}[\\x21-\\x7e])?$`);

/** Printable ASCII without blanks at the ends: it is compared with what other programs wrote. */
export function isProviderId(text: string): boolean {
  return PROVIDER_ID.test(text);
}

/** Where the platform has none. */
export function defaultProviderId(nodeName: string): string {
  return `countersign:///${nodeName}`;
}

export function providerIdExtension(providerId: string): Extension {
  if (!isProviderId(providerId))
    throw new Fault("invalid", "provider ID must be printable ASCII of 1 to 512 characters");
  return { oid: OID_PROVIDER_ID, critical: false, value: encodeTlv(TAG.utf8String, [encodeUtf8(providerId)]) };
}

/** Of requests with evidence: strict DER, and a text that other programs write alike. */
export function parseProviderId(extension: Extension): string {
  const text = readProviderId(extension);
  if (!isProviderId(text)) throw new Fault("malformed", "provider ID must be printable ASCII of 1 to 512 characters");
  return text;
}

/** Of any request. Undefined where there is none in strict DER. */
export function providerIdOf({ extensions }: Pick<CertificateRequest, "extensions">): string | undefined {
  const extension = findExtension(extensions, OID_PROVIDER_ID);
  if (extension === undefined) return undefined;
  try {
    return readProviderId(extension);
  } catch (error) {
    if (isFault(error)) return undefined;
    throw error;
  }
}

function readProviderId({ value }: Extension): string {
  const reader = DerReader.over(value);
  const text = parseUtf8(reader.read(TAG.utf8String));
  reader.finish();
  return text;
}
