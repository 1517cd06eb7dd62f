// Sets of root certificates in PEM. Two certificates are the same when their bytes are.

import { isFault } from "../../kernel/outcome/index.ts";
import { encodePem, parsePem } from "../../kernel/pem/index.ts";
import { type Certificate, parseCertificate } from "../../kernel/x509/index.ts";

/** Empty when there is none, or when one of them cannot be read: half a set of roots is nobody's intention. */
export function readBundle(pem: string): readonly Certificate[] {
  try {
    return parsePem(pem)
      .filter(({ label }) => label === "CERTIFICATE")
      .map(({ bytes }) => parseCertificate(bytes));
  } catch (error) {
    if (isFault(error)) return [];
    throw error;
  }
}

export function encodeBundle(certificates: readonly Certificate[]): string {
  return certificates.map(({ raw }) => encodePem("CERTIFICATE", raw)).join("");
}

/** Each certificate once, in the order of its first appearance. */
export function mergeBundles(bundles: readonly (readonly Certificate[])[]): readonly Certificate[] {
  return [...new Map(bundles.flat().map((each) => [encodePem("CERTIFICATE", each.raw), each])).values()];
}
