// A certificate whose subject is its own issuer: a root, or a step of a CA that changes its key (RFC 5280 §3.2).
import { equalBytes } from "../../bytes/index.ts";
import type { Certificate } from "../certificate.ts";

export function isSelfIssued({ subject, issuer }: Certificate): boolean {
  return equalBytes(subject.raw, issuer.raw);
}
