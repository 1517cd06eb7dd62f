// Subjects that no template can say: attributes in any order and number.

import { encodeDirectoryString, encodeOid, encodeSequence, encodeSetOf } from "../../src/kernel/der/index.ts";
import { type CsrModifier, withSubject } from "./csr.ts";

export const CN = "2.5.4.3";
export const O = "2.5.4.10";
export const OU = "2.5.4.11";
export const COUNTRY = "2.5.4.6";

export function rawName(...attributes: readonly (readonly [oid: string, value: string])[]): CsrModifier {
  const sets = attributes.map(([oid, value]) =>
    encodeSetOf([encodeSequence([encodeOid(oid), encodeDirectoryString(value)])]),
  );
  return withSubject(encodeSequence(sets));
}
