// Building the requests of an exchange: first the PKCS#10, whose content the transcript covers, then the whole with its
// evidence and its name. The key only signs; the evidence comes from the provider in between.

import { NODE_USER_PREFIX, NODES_GROUP } from "../../api/certificates/index.ts";
import {
  parseCertificateRequest,
  type Signer,
  type SubjectAltNameTemplate,
  signCertificateRequest,
  subjectAltNameExtension,
} from "../../kernel/x509/index.ts";
import { encodeBlocks } from "./blocks.ts";
import type { EvidenceBody } from "./body.ts";
import { type Envelope, encodeEnvelope, type Statement, type Step } from "./envelope.ts";
import { objectName } from "./names.ts";
import type { Protocol } from "./protocol.ts";
import { providerIdExtension } from "./provider-id.ts";
import { type Recipient, sealEnvelope } from "./sealed.ts";

export const HELLO_NAME_PREFIX = "countersign:hello:";

interface DraftInput {
  readonly step: Step;
  readonly statement: Statement;
  readonly protocol: Protocol;
  readonly key: Signer;
  /** For serving certificates, not in a hello. */
  readonly names?: SubjectAltNameTemplate | undefined;
}

export interface Draft extends DraftInput {
  readonly pkcs10: Uint8Array;
  /** DER CertificationRequestInfo. */
  readonly cri: Uint8Array;
  readonly spki: Uint8Array;
}

export function draftRequest(input: DraftInput): Draft {
  const { step, statement, key, names } = input;
  const isHello = step === "hello";
  const subject = isHello
    ? { commonName: HELLO_NAME_PREFIX + statement.node }
    : { commonName: NODE_USER_PREFIX + statement.node, organizations: [NODES_GROUP] };
  const altNames =
    !isHello && statement.purpose === "serving" && names !== undefined ? [subjectAltNameExtension(names)] : [];
  const extensions = [providerIdExtension(statement.providerId), ...altNames];
  const pkcs10 = signCertificateRequest({ subject, extensions }, key);
  return { ...input, pkcs10, cri: parseCertificateRequest(pkcs10).tbs, spki: key.publicKey };
}

export interface FinishOptions {
  readonly body: EvidenceBody;
  readonly hello?: Envelope["hello"];
  readonly beacon?: Envelope["beacon"];
  readonly seal?: { readonly recipient: Recipient; readonly ephemeralScalar: Uint8Array } | undefined;
}

export interface FinishedRequest {
  readonly name: string;
  /** The decoded `spec.request`. */
  readonly request: Uint8Array;
  readonly signerName: string;
  readonly usages: readonly string[];
}

export function finishRequest(draft: Draft, { body, hello, beacon, seal }: FinishOptions): FinishedRequest {
  const { step, statement, protocol, pkcs10, cri } = draft;
  const plain = encodeEnvelope({ step, protocol, ...statement, hello, beacon, body });
  const content = seal === undefined ? plain : sealEnvelope(plain, { ...seal, cri });
  const request = encodeBlocks({ request: pkcs10, protocol, content });
  const name = objectName({ step, body, request, content, cri });
  return { name, request, signerName: statement.signer, usages: usagesFor(step, statement) };
}

function usagesFor(step: Step, { purpose }: Statement): readonly string[] {
  if (step === "hello") return ["digital signature"];
  return ["digital signature", purpose === "client" ? "client auth" : "server auth"];
}
