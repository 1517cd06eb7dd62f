// `spec.request` as blocks: the PKCS#10, the protocol, the envelope, and nothing else. An API server reads the first
// block and accepts any text around it, so this reader is strict by writing again: what it found, encoded anew, must be
// what it was given.

import { encodeUtf8, equalBytes, parseUtf8 } from "../../kernel/bytes/index.ts";
import { Fault } from "../../kernel/outcome/index.ts";
import { encodePem, type PemBlock, parsePem } from "../../kernel/pem/index.ts";
import { MAX_DATA_OCTETS, MAX_REQUEST_OCTETS } from "./limits.ts";
import { encodeProtocol, type Protocol, parseProtocol } from "./protocol.ts";

export interface EvidenceBlocks {
  /** DER of the PKCS#10 request. */
  readonly request: Uint8Array;
  /** Absent in the older form of the proposal, which counts as version 0 of the provider that the signer names. */
  readonly protocol: Protocol | undefined;
  /** The envelope, plain or sealed. */
  readonly content: Uint8Array;
}

const REQUEST_LABEL = "CERTIFICATE REQUEST";
/** What tells a request with an envelope from one without. */
export const PROVIDER_LABEL = "KUBELET AUTHENTICATOR ATTESTATION PROVIDER";
const CONTENT_LABEL = "KUBELET AUTHENTICATOR ATTESTATION DATA";
/** As the example of *Cluster API Kubelet Authentication* has it; read, never written. */
const SEED_LABEL = "ATTESTATION DATA";

export function encodeBlocks(blocks: EvidenceBlocks & { readonly protocol: Protocol }): Uint8Array {
  const text =
    encodePem(REQUEST_LABEL, blocks.request) +
    encodePem(PROVIDER_LABEL, encodeUtf8(encodeProtocol(blocks.protocol))) +
    encodePem(CONTENT_LABEL, blocks.content);
  return encodeUtf8(text);
}

export function parseBlocks(bytes: Uint8Array): EvidenceBlocks {
  if (bytes.length > MAX_REQUEST_OCTETS)
    throw new Fault("limit-exceeded", `request must have at most ${MAX_REQUEST_OCTETS} octets, got ${bytes.length}`);
  const found = parsePem(parseUtf8(bytes));
  const again = encodeUtf8(found.map(({ label, bytes: content }) => encodePem(label, content)).join(""));
  if (!equalBytes(again, bytes))
    throw new Fault("malformed", "request must be PEM blocks in their one spelling, without anything around them");
  return arrange(found);
}

function arrange(found: readonly PemBlock[]): EvidenceBlocks {
  const [request, second, third] = found;
  const labels = found.map(({ label }) => label).join(", ");
  if (request?.label === REQUEST_LABEL && second !== undefined) {
    if (found.length === 2 && second.label === SEED_LABEL)
      return { request: request.bytes, protocol: undefined, content: limited(second.bytes) };
    if (found.length === 3 && second.label === PROVIDER_LABEL && third?.label === CONTENT_LABEL) {
      const protocol = parseProtocol(parseUtf8(second.bytes));
      return { request: request.bytes, protocol, content: limited(third.bytes) };
    }
  }
  throw new Fault(
    "malformed",
    `request must have a request, a provider and a data block, it has: ${labels.slice(0, 200)}`,
  );
}

function limited(content: Uint8Array): Uint8Array {
  if (content.length > MAX_DATA_OCTETS)
    throw new Fault("limit-exceeded", `evidence must have at most ${MAX_DATA_OCTETS} octets, got ${content.length}`);
  return content;
}
