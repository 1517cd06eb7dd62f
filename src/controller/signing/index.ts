// Approved requests become certificates. One key → gather → plan → template → sign → check → act. Step "sign" of the
// journey.

import { type CertificateSigningRequest, findCondition, isIssued } from "../../api/certificates/index.ts";
import { Fault } from "../../kernel/outcome/index.ts";
import {
  type Certificate,
  type CertificateRequest,
  type CertificateTemplate,
  parseCertificate,
  signCertificate,
} from "../../kernel/x509/index.ts";
import type { Informer } from "../../platform/kube/index.ts";
import { type Feature, REQUEST_WORKERS, type Syncing, UNTIL_CHANGED } from "../loop/index.ts";
import { type DeliveryOptions, deliver, fail } from "./act.ts";
import type { Authority } from "./authorities.ts";
import { checkCertificate } from "./check.ts";
import type { SigningFacts } from "./facts.ts";
import type { GateAnswer, SignerGate } from "./gate.ts";
import { gatherSigning, type SigningSources } from "./gather.ts";
import { planSigning } from "./plan.ts";
import { planCertificate } from "./template.ts";

export type { AuthorityPems } from "./authorities.ts";
export {
  ANY_REQUEST,
  type Authorities,
  fixedAuthority,
  followAuthoritySecret,
  loadAuthorityFiles,
  readSecret,
} from "./authorities.ts";
export { clusterCaSecret, onlyOwnCa, TRUST_CONFIG_MAP } from "./cluster-authority.ts";

interface SigningOptions extends SigningSources, DeliveryOptions {
  readonly csrs: Pick<Informer<CertificateSigningRequest>, "get" | "list" | "onChange" | "hasSynced" | "waitForSync">;
  /** A policy bounds the life of what is signed: one that is not known yet would bound nothing. */
  readonly policies: Syncing;
  readonly nodes: Syncing;
  /**
   * Under our signers an approval alone does not count: what is signed was attested, and is recorded before it leaves.
   */
  readonly gate?: SignerGate | undefined;
}

type Admitted = Extract<GateAnswer, { kind: "Admitted" }>;

export function createSigning(options: SigningOptions): Feature {
  const { csrs, nodes, policies, authorities } = options;
  /** Uids of requests whose certificate we delivered, as long as the cache may not know: nothing is signed twice. */
  const delivered = new Set<string>();

  /**
   * Most requests are not approved yet, have their certificate, or are of foreign signers; those are not read at all.
   */
  function isMine(csr: CertificateSigningRequest): boolean {
    const isOpen = findCondition(csr, "Approved") !== undefined && !isIssued(csr);
    return isOpen && options.servedSigners.includes(csr.spec.signerName) && !delivered.has(csr.metadata.uid ?? "");
  }

  async function issue(csr: CertificateSigningRequest, certificate: Certificate, gate: Admitted | undefined) {
    await gate?.record(certificate);
    await deliver(options, csr, certificate);
    delivered.add(csr.metadata.uid ?? "");
  }

  return {
    name: "signing",
    needs: [csrs, nodes, policies],
    workers: REQUEST_WORKERS,
    flow: { flowOf: (name) => csrs.get(name)?.spec.username ?? "" },
    wakesOn: (wake) => {
      const wakeIfMine = (csr: CertificateSigningRequest) => {
        if (isMine(csr)) wake(csr.metadata.name ?? "");
      };
      csrs.onChange(({ type, object }) => {
        if (type === "DELETED") delivered.delete(object.metadata.uid ?? "");
        else wakeIfMine(object);
      });
      authorities.onChange?.(() => csrs.list().forEach(wakeIfMine));
    },
    handle: async (key) => {
      const csr = csrs.get(key);
      if (csr === undefined || !isMine(csr)) return UNTIL_CHANGED;
      const authority = authorities.of(csr);
      const facts = gatherSigning(options, csr, authority);
      const plan = planSigning(facts);
      if (plan.kind === "Leave") return UNTIL_CHANGED;
      const gate = await options.gate?.(csr);
      if (gate?.kind === "NotYet") return { afterMs: gate.retryAfterMs };
      if (gate?.kind === "Refused") await fail(options, csr, gate.message, gate.reason);
      else if (plan.kind === "Fail") await fail(options, csr, plan.message);
      else await issue(csr, make(authority, facts, plan.request), gate);
      return UNTIL_CHANGED;
    },
  };
}

function make(authority: Authority, facts: SigningFacts, request: CertificateRequest): Certificate {
  const certificate = parseCertificate(signTemplate(planCertificate(facts, request), authority));
  const broken = checkCertificate(certificate, request, facts);
  if (broken.length === 0) return certificate;
  throw new Fault("internal", `the finished certificate does not hold: ${broken.join("; ")}`);
}

// The one place where the authority's key is used: template → signed bytes, and nothing decided on the way.
export function signTemplate(template: CertificateTemplate, { signer }: Authority): Uint8Array {
  return signCertificate(template, signer);
}
