// The subject of a certificate out of the subject of its request, as Go writes one that it has read: the attributes it knows,
// in its order, several values of one kind as one set; what it does not know is left out. So kube-controller-manager's
// certificates look, and no encoding of the requester's choosing reaches a certificate. Pure.

import { encodeDirectoryString, encodeOid, encodeSequence, encodeSetOf } from "../../kernel/der/index.ts";
import type { Name } from "../../kernel/x509/index.ts";

/** X.520, in the order of Go's pkix.Name; of the last two Go keeps one value, the last. */
const LISTED = ["2.5.4.6", "2.5.4.10", "2.5.4.11", "2.5.4.7", "2.5.4.8", "2.5.4.9", "2.5.4.17"];
const SINGLE = ["2.5.4.3", "2.5.4.5"];

export function rewriteSubject({ attributes }: Name): Uint8Array {
  const valuesOf = (oid: string) => attributes.filter((attribute) => attribute.oid === oid).map(({ value }) => value);
  const sets = [
    ...LISTED.map((oid) => ({ oid, values: valuesOf(oid) })),
    ...SINGLE.map((oid) => ({
      oid,
      values: valuesOf(oid)
        .slice(-1)
        .filter((value) => value !== ""),
    })),
  ];
  return encodeSequence(
    sets
      .filter(({ values }) => values.length > 0)
      .map(({ oid, values }) =>
        encodeSetOf(values.map((value) => encodeSequence([encodeOid(oid), encodeDirectoryString(value)]))),
      ),
  );
}
