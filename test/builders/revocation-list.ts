// Revocation lists for tests, signed by a CA of test/builders/x509.ts. The product reads such lists and never makes
// one.
import {
  contextConstructed,
  encodeBitString,
  encodeOid,
  encodeSequence,
  encodeTime,
  encodeTlv,
  encodeUnsigned,
} from "../../src/kernel/der/index.ts";
import { type Holder, TEST_NOW_MS } from "./x509.ts";

const ECDSA_SHA256 = "1.2.840.10045.4.3.2";

export interface ListOptions {
  readonly serials?: readonly Uint8Array[];
  readonly thisUpdateMs?: number;
  readonly nextUpdateMs?: number;
  /** What it says of its signature; the signature itself is ECDSA with SHA-256. */
  readonly algorithm?: string;
  /** The encoded list of extensions. */
  readonly extensions?: Uint8Array;
}

export function aRevocationList(issuer: Holder, options: ListOptions = {}): Uint8Array {
  const { serials = [], thisUpdateMs = TEST_NOW_MS, nextUpdateMs, extensions } = options;
  const algorithm = encodeSequence([encodeOid(options.algorithm ?? ECDSA_SHA256)]);
  const entries = serials.map((serial) => encodeSequence([encodeUnsigned(serial), encodeTime(thisUpdateMs)]));
  const tbs = encodeSequence([
    encodeUnsigned(Uint8Array.of(1)),
    algorithm,
    issuer.certificate.subject.raw,
    encodeTime(thisUpdateMs),
    ...(nextUpdateMs === undefined ? [] : [encodeTime(nextUpdateMs)]),
    ...(entries.length === 0 ? [] : [encodeSequence(entries)]),
    ...(extensions === undefined ? [] : [encodeTlv(contextConstructed(0), [extensions])]),
  ]);
  return encodeSequence([tbs, algorithm, encodeBitString(issuer.key.signer.sign(tbs))]);
}
