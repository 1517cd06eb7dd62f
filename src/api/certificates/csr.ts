// CertificateSigningRequest v1, as far as this product reads and writes it.

import type { KubeObject } from "../meta/index.ts";

export interface CsrSpec {
  /** Base64 of a PEM text whose first block is the PKCS#10 request. */
  readonly request: string;
  readonly signerName: string;
  readonly usages: readonly string[];
  readonly expirationSeconds?: number;
  /** The four fields below are stamped by the API server from the authenticated user; a client cannot set them. */
  readonly username?: string;
  readonly uid?: string;
  readonly groups?: readonly string[];
  readonly extra?: Readonly<Record<string, readonly string[]>>;
}

export interface CsrCondition {
  readonly type: string;
  readonly status: "True" | "False" | "Unknown";
  readonly reason?: string;
  readonly message?: string;
  readonly lastUpdateTime?: string;
  readonly lastTransitionTime?: string;
}

export interface CsrStatus {
  readonly conditions?: readonly CsrCondition[];
  /** Base64 of a PEM text of CERTIFICATE blocks, leaf first. Written once. */
  readonly certificate?: string;
}

export interface CertificateSigningRequest extends KubeObject {
  spec: CsrSpec;
  status?: CsrStatus;
}

/** Only the presence of the type counts, not its status: the kubelet and kube-controller-manager read it so. */
export function findCondition(csr: CertificateSigningRequest, type: string): CsrCondition | undefined {
  return csr.status?.conditions?.find((condition) => condition.type === type);
}

export function isDecided(csr: CertificateSigningRequest): boolean {
  return findCondition(csr, "Approved") !== undefined || findCondition(csr, "Denied") !== undefined;
}

/** A certificate may be present without approval; both are needed before it may be relied on. */
export function isIssued(csr: CertificateSigningRequest): boolean {
  return findCondition(csr, "Approved") !== undefined && (csr.status?.certificate ?? "") !== "";
}
