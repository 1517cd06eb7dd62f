// `spec.request` and `status.certificate`: base64 of a text that holds PEM blocks. Read in one way everywhere: what one
// reader sees and another does not could be shown to the API server as one request and to the signer as another.

import { parseBase64 } from "../../kernel/bytes/index.ts";
import { type PemBlock, parsePem } from "../../kernel/pem/index.ts";

export const REQUEST_LABEL = "CERTIFICATE REQUEST";

interface PemField {
  /** One character per byte: text outside the blocks may be anything, and is harmless so. */
  readonly text: string;
  readonly blocks: readonly PemBlock[];
}

const latin1 = new TextDecoder("latin1");

/** Fault `malformed` or `limit-exceeded`. */
export function parsePemField(base64: string): PemField {
  const text = latin1.decode(parseBase64(base64));
  return { text, blocks: parsePem(text) };
}
