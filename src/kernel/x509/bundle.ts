// A PEM text with several certificates: a chain, leaf first, or a set of roots. Other blocks in it are passed over.

import { isFault } from "../outcome/index.ts";
import { parsePem } from "../pem/index.ts";
import { type Certificate, parseCertificate } from "./certificate.ts";

/** Fault `malformed` when one of them does not parse. */
export function parseCertificates(pem: string): readonly Certificate[] {
  return parsePem(pem)
    .filter(({ label }) => label === "CERTIFICATE")
    .map(({ bytes }) => parseCertificate(bytes));
}

/** Empty when there is none, or when one of them does not parse: half a chain or half a set of roots is nobody's intention. */
export function readCertificates(pem: string): readonly Certificate[] {
  try {
    return parseCertificates(pem);
  } catch (error) {
    if (isFault(error)) return [];
    throw error;
  }
}
