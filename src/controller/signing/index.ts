// Approved requests become certificates. One key → gather → plan → template → sign → check → act. Step "sign" of the
// journey.

import { type CertificateSigningRequest, findCondition } from "../../api/certificates/index.ts";
import { Fault } from "../../kernel/outcome/index.ts";
import type { CertificateRequest } from "../../kernel/x509/index.ts";
import { type Handler, UNTIL_CHANGED } from "../loop/index.ts";
import { type ActOptions, deliver, fail } from "./act.ts";
import type { Authority } from "./authority.ts";
import { checkCertificate } from "./check.ts";
import type { SigningFacts } from "./facts.ts";
import { type GatherOptions, gather } from "./gather.ts";
import { planSigning } from "./plan.ts";
import { signTemplate } from "./sign.ts";
import { planCertificate } from "./template.ts";

export {
  type Authorities,
  authorityPerCluster,
  fixedAuthority,
  followAuthoritySecret,
  loadAuthorityFiles,
  type SecretAuthorityOptions,
} from "./authorities.ts";
export { type Authority, type AuthorityPems, createAuthority } from "./authority.ts";

export interface SigningOptions extends GatherOptions, ActOptions {
  readonly getCsr: (name: string) => CertificateSigningRequest | undefined;
}

export interface Signing {
  readonly handle: Handler;
  /** The request was deleted. */
  forget(csr: CertificateSigningRequest): void;
}

export function createSigning(options: SigningOptions): Signing {
  /** Uids of requests whose certificate we delivered, as long as the cache may not know: nothing is signed twice. */
  const delivered = new Set<string>();
  return {
    handle: async (key) => {
      const csr = options.getCsr(key);
      if (csr === undefined || delivered.has(csr.metadata.uid ?? "")) return UNTIL_CHANGED;
      // Most looks are at requests that nobody approved, or of foreign signers; those are not read at all.
      if (!isApproved(csr) || !options.servedSigners.includes(csr.spec.signerName)) return UNTIL_CHANGED;
      const authority = options.authorities.of(csr);
      const facts = gather(options, csr, authority);
      const plan = planSigning(facts);
      if (plan.kind === "Fail") await fail(options, csr, plan.message);
      if (plan.kind === "Sign") {
        await deliver(options, csr, make(authority, facts, plan.request));
        delivered.add(csr.metadata.uid ?? "");
      }
      return UNTIL_CHANGED;
    },
    forget: (csr) => {
      delivered.delete(csr.metadata.uid ?? "");
    },
  };
}

function isApproved(csr: CertificateSigningRequest): boolean {
  return findCondition(csr, "Approved") !== undefined;
}

function make(authority: Authority, facts: SigningFacts, request: CertificateRequest): Uint8Array {
  const der = signTemplate(planCertificate(facts, request), authority);
  const broken = checkCertificate(der, request, facts);
  if (broken.length === 0) return der;
  throw new Fault("internal", `the finished certificate does not hold: ${broken.join("; ")}`);
}
