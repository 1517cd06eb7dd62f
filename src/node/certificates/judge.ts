// What became of our certificate request? Pure: the object as the server shows it -> one answer. Order of the
// questions: denied · failed · approved and issued · pending, with the best reason that can be read from the object. As
// in the kubelet, a condition counts by its type, and a certificate counts only together with the approval.

import {
  type CertificateSigningRequest,
  type CsrCondition,
  findCondition,
  isIssued,
  VERDICT_ANNOTATION,
} from "../../api/certificates/index.ts";
import { parsePemField, REQUEST_LABEL } from "../../api/pem/index.ts";
import { equalBytes, parseBase64, parseUtf8 } from "../../kernel/bytes/index.ts";
import { type Allow, allow, type Deny, deny, isFault } from "../../kernel/outcome/index.ts";
import {
  type CertificateRequest,
  parseCertificate,
  parseCertificateRequest,
  verifyRequestSignature,
} from "../../kernel/x509/index.ts";

/** Longer ones are cut: the text is for one line on a terminal, and any client can write annotations. */
const WHY_MAX_CHARACTERS = 300;

export type RequestState =
  | {
      readonly kind: "pending";
      readonly approved: boolean;
      readonly why: string;
      /** When the request was made, or approved, by the server's clock; undefined where the object does not say. */
      readonly sinceMs?: number | undefined;
    }
  | { readonly kind: "issued"; readonly certificatePem: string }
  | { readonly kind: "denied" | "failed"; readonly why: string; readonly said: RefusalWords };

/** The refusal in its parts, for callers that lay them out themselves. */
interface RefusalWords {
  /** Of our controller's rules; other approvers have none. */
  readonly rule?: string;
  readonly reason: string;
  readonly message: string;
}

export function judgeRequest(csr: CertificateSigningRequest): RequestState {
  const denied = findCondition(csr, "Denied");
  if (denied !== undefined) return { kind: "denied", ...refusalOf(denied, csr) };
  const failed = findCondition(csr, "Failed");
  if (failed !== undefined) return { kind: "failed", ...refusalOf(failed, csr) };
  if (isIssued(csr)) return { kind: "issued", certificatePem: parseUtf8(parseBase64(csr.status?.certificate ?? "")) };
  const approved = findCondition(csr, "Approved");
  if (approved !== undefined) {
    return {
      kind: "pending",
      approved: true,
      why: `approved, but signer ${csr.spec.signerName} has not signed it yet`,
      sinceMs: timeOf(approved.lastUpdateTime ?? approved.lastTransitionTime),
    };
  }
  const { rule, message } = readVerdict(csr);
  const why =
    message === undefined ? `nobody has judged it yet for signer ${csr.spec.signerName}` : join(rule, message);
  return { kind: "pending", approved: false, why, sinceMs: timeOf(csr.metadata.creationTimestamp) };
}

function timeOf(text: string | null | undefined): number | undefined {
  const ms = Date.parse(text ?? "");
  return Number.isNaN(ms) ? undefined : ms;
}

export interface OwnRequest {
  /** DER SubjectPublicKeyInfo of the key that asks. */
  readonly publicKey: Uint8Array;
  readonly commonName: string;
  readonly organizations: readonly string[];
  readonly signerName: string;
  /** Alternative names that are asked for, in order. */
  readonly names: readonly string[];
  readonly nowMs: number;
}

/** A request of our name exists already. It is ours when it says the same and only our key can have signed it. */
export function judgeReuse(existing: CertificateSigningRequest, own: OwnRequest): Allow | Deny {
  const rule = "existing-request-is-ours";
  const refuse = (reason: string, message: string) => deny({ rule, reason, message });
  const request = readRequest(existing);
  if (request === undefined || !equalBytes(request.publicKey.spki, own.publicKey) || !verifyRequestSignature(request)) {
    return refuse("OtherKey", "it was not made with this node's key");
  }
  const { commonName, organizations } = request.subject;
  if (commonName !== own.commonName || organizations.join("|") !== own.organizations.join("|")) {
    return refuse("OtherSubject", `it asks for another subject than ${own.commonName}`);
  }
  if (namesIn(request).join("|") !== own.names.join("|")) return refuse("OtherNames", "it asks for other names");
  if (existing.spec.signerName !== own.signerName) {
    return refuse("OtherSigner", `it asks signer ${existing.spec.signerName}, expected ${own.signerName}`);
  }
  if (hasExpired(existing, own.nowMs)) return refuse("Expired", "the certificate issued for it has expired");
  return allow({ rule, reason: "Ours", message: "the request was made earlier with this node's key" });
}

function readRequest(csr: CertificateSigningRequest): CertificateRequest | undefined {
  return orUndefined(() => {
    const [block] = parsePemField(csr.spec.request).blocks;
    return block?.label === REQUEST_LABEL ? parseCertificateRequest(block.bytes) : undefined;
  });
}

function namesIn({ subjectAltNames }: CertificateRequest): readonly string[] {
  return [...(subjectAltNames?.dnsNames ?? []), ...(subjectAltNames?.ipAddresses ?? [])];
}

function hasExpired(csr: CertificateSigningRequest, nowMs: number): boolean {
  const certificate = csr.status?.certificate ?? "";
  if (certificate === "") return false;
  const blocks = orUndefined(() => parsePemField(certificate).blocks) ?? [];
  return blocks.some(({ bytes }) => {
    const parsed = orUndefined(() => parseCertificate(bytes));
    return parsed === undefined || parsed.notAfterMs <= nowMs;
  });
}

function refusalOf(condition: CsrCondition, csr: CertificateSigningRequest) {
  const reason = oneLine(condition.reason ?? "");
  const message = oneLine(condition.message ?? "");
  const verdict = readVerdict(csr);
  // The annotation may be of another judgement than the condition; the reason tells.
  const rule = verdict.rule !== undefined && verdict.reason === reason ? { rule: verdict.rule } : {};
  return { why: join(reason, message) || "no reason was given", said: { ...rule, reason, message } };
}

/**
 * The controller's annotation, as far as it is text. Any client may write one, so it informs people and decides
 * nothing.
 */
function readVerdict(csr: CertificateSigningRequest): Partial<Record<"rule" | "reason" | "message", string>> {
  const annotation = csr.metadata.annotations?.[VERDICT_ANNOTATION] ?? "";
  const value: unknown = orUndefined(() => JSON.parse(annotation));
  if (typeof value !== "object" || value === null) return {};
  const texts = Object.entries(value).filter((entry): entry is [string, string] => typeof entry[1] === "string");
  return Object.fromEntries(texts.map(([name, text]) => [name, oneLine(text)]));
}

function join(...parts: readonly (string | undefined)[]): string {
  return parts.filter((part) => part !== undefined && part !== "").join(": ");
}

/** Other clients wrote this text, and it goes to a terminal: no control characters, one line, a limited length. */
function oneLine(text: string): string {
  return text.replace(/\p{Cc}+/gu, " ").slice(0, WHY_MAX_CHARACTERS);
}

/** What cannot be read counts as not there; the question that asked for it then answers no. */
function orUndefined<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch (error) {
    if (isFault(error) || error instanceof SyntaxError) return undefined;
    throw error;
  }
}
