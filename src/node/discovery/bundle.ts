// Sets of root certificates in PEM. Two certificates are the same when their bytes are.

import { encodePem } from "../../kernel/pem/index.ts";
import type { Certificate } from "../../kernel/x509/index.ts";

export function encodeBundle(certificates: readonly Certificate[]): string {
  return certificates.map(({ raw }) => encodePem("CERTIFICATE", raw)).join("");
}

/** Each certificate once, in the order of its first appearance. */
export function mergeBundles(bundles: readonly (readonly Certificate[])[]): readonly Certificate[] {
  return [...new Map(bundles.flat().map((each) => [encodePem("CERTIFICATE", each.raw), each])).values()];
}
