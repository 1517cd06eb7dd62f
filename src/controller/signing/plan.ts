// What is to be done about a request: nothing, a certificate, or the condition Failed. The signer does not rely on the
// approver: an approval may come from any user with the right to approve, and it says "may", not "is well formed".
// Kubernetes' own demands come first, in its words; then ours, each of which says its name.

import { findCondition, isIssued } from "../../api/certificates/index.ts";
import type { CertificateRequest } from "../../kernel/x509/index.ts";
import { judgeRequest } from "../judging/judge.ts";
import type { SigningFacts } from "./facts.ts";
import { violationOf } from "./kubernetes-rules.ts";

export type SigningPlan =
  | { readonly kind: "Leave"; readonly why: string }
  | { readonly kind: "Fail"; readonly message: string }
  | { readonly kind: "Sign"; readonly request: CertificateRequest };

export function planSigning(facts: SigningFacts): SigningPlan {
  const why = whyNotMine(facts);
  if (why !== undefined) return { kind: "Leave", why };
  const { signerName, usages } = facts.csr.spec;
  const { request, switchedOff } = facts;
  const violation =
    request.kind === "Readable" ? violationOf(signerName, { request: request.request, usages }) : undefined;
  if (violation !== undefined) return { kind: "Fail", message: violation };
  const { verdict } = judgeRequest({ signerName, usages, request, switchedOff });
  if (verdict.kind !== "Allow" || request.kind !== "Readable") {
    return { kind: "Fail", message: `${verdict.rule}: ${verdict.message}` };
  }
  return { kind: "Sign", request: request.request };
}

function whyNotMine({ csr, servedSigners }: SigningFacts): string | undefined {
  if (!servedSigners.includes(csr.spec.signerName)) return "the signer is not served here";
  if (findCondition(csr, "Approved") === undefined) return "it is not approved";
  if (findCondition(csr, "Denied") !== undefined) return "it is denied";
  if (findCondition(csr, "Failed") !== undefined) return "it has failed";
  if (isIssued(csr)) return "it has its certificate";
  if (csr.metadata.deletionTimestamp !== undefined) return "it is being deleted";
  return undefined;
}
