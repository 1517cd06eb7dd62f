// Names of the request objects: functions of content that no other requester can vary or foresee. A copy of a request
// collides with the original instead of racing it, and a name cannot be taken in advance.

import { encodeBase32 } from "../../kernel/bytes/index.ts";
import { sha256 } from "../../kernel/crypto/index.ts";
import type { EvidenceBody } from "./body.ts";
import type { Step } from "./envelope.ts";

interface NamedContent {
  readonly step: Step;
  readonly body: EvidenceBody;
  /** All of `spec.request`. */
  readonly request: Uint8Array;
  /** The content of the DATA block, sealed or not. */
  readonly content: Uint8Array;
  /** DER CertificationRequestInfo. */
  readonly cri: Uint8Array;
}

/** How the names of hellos begin; nothing else is named so. */
export const HELLO_OBJECT_PREFIX = "countersign-hello-";

const PREFIXES: Readonly<Record<Step, string>> = {
  hello: HELLO_OBJECT_PREFIX,
  proof: "countersign-proof-",
  single: "countersign-single-",
};

export function objectName(named: NamedContent): string {
  return PREFIXES[named.step] + encodeBase32(sha256(namingBytes(named)));
}

/**
 * Never the whole request beyond a hello: anyone can turn an ECDSA signature into another valid one. A proof of a
 * provider without TPM is named by its DATA block, because its CertificationRequestInfo follows from the public hello
 * and could be foreseen; its provider signs in a form that cannot be varied.
 */
function namingBytes({ step, body, request, content, cri }: NamedContent): Uint8Array {
  if (step === "hello") return request;
  if (body.kind === "tpm-proof") return body.attest;
  return step === "proof" ? content : cri;
}
