// The provider's id of the machine, as an extension of the request (seed 000). Its name is Google's
// CloudComputeInstanceIdentifier, taken over by Cluster API; its value is a UTF8String. Pure.

import { DerReader, parseString, TAG } from "../../kernel/der/index.ts";
import { isFault } from "../../kernel/outcome/index.ts";
import { type CertificateRequest, findExtension } from "../../kernel/x509/index.ts";

export const PROVIDER_ID_EXTENSION = "1.3.6.1.4.1.11129.2.1.21";

/** Undefined where there is none, or none that can be read. */
export function providerIdOf({ extensions }: CertificateRequest): string | undefined {
  const extension = findExtension(extensions, PROVIDER_ID_EXTENSION);
  if (extension === undefined) return undefined;
  try {
    const reader = DerReader.over(extension.value);
    const text = parseString(TAG.utf8String, reader.read(TAG.utf8String));
    reader.finish();
    return text;
  } catch (error) {
    if (isFault(error)) return undefined;
    throw error;
  }
}
