// CertificateSigningRequest: what may be changed through which endpoint.
//   main      metadata only; spec and status are put back silently
//   /approval conditions; the certificate is put back
//   /status   certificate (once) and conditions other than Approved and Denied
// Behaviour of kubernetes/pkg/registry/certificates/certificates/strategy.go.

import type { CertificateSigningRequest, CsrSpec, CsrStatus } from "../../../../api/certificates/index.ts";
import { CSRS } from "../../../../api/meta/index.ts";
import { pathSegment } from "../../names.ts";
import { defineStrategy, SUBRESOURCE_VERBS, type Subresource, type WriteFacts } from "../../strategy.ts";
import { ageCell, column, humanDuration, NAME_COLUMN, nameOf, type TableLayout } from "../../table.ts";
import { REQUEST_PROOF, validateSpec } from "./validate-spec.ts";
import { restoreConditions, stampConditions, validateStatusUpdate } from "./validate-status.ts";

const CSR_TABLE: TableLayout<CertificateSigningRequest> = {
  columns: [
    NAME_COLUMN,
    column("Age"),
    column("SignerName"),
    column("Requestor"),
    column("RequestedDuration"),
    column("Condition"),
  ],
  cells: (csr, nowMs) => [
    nameOf(csr),
    ageCell(csr, nowMs),
    csr.spec.signerName || "<none>",
    csr.spec.username ?? "",
    csr.spec.expirationSeconds === undefined ? "<none>" : humanDuration(csr.spec.expirationSeconds * 1000),
    conditionCell(csr),
  ],
};

/** Denied, otherwise Approved, otherwise Pending; followed by Failed and Issued. */
function conditionCell(csr: CertificateSigningRequest): string {
  const has = (type: string) => csr.status?.conditions?.some((condition) => condition.type === type) === true;
  const decided = has("Denied") ? "Denied" : has("Approved") ? "Approved" : "Pending";
  const failed = has("Failed") ? ",Failed" : "";
  return `${decided}${failed}${(csr.status?.certificate ?? "") === "" ? "" : ",Issued"}`;
}

type Csr = CertificateSigningRequest;

/** `status` is always present, if only as `{}`, as in Kubernetes. */
function withStatus(csr: Csr, status: CsrStatus | undefined): Csr {
  const { certificate, conditions } = status ?? {};
  return {
    ...csr,
    status: {
      ...(conditions === undefined || conditions.length === 0 ? {} : { conditions }),
      ...(certificate === undefined || certificate === "" ? {} : { certificate }),
    },
  };
}

/** The requester is the authenticated user; what the client wrote there is dropped. */
function stampRequester(spec: CsrSpec, { user }: WriteFacts): CsrSpec {
  const { username: _name, uid: _uid, groups: _groups, extra: _extra, ...asked } = spec;
  const extra = Object.keys(user.extra ?? {}).length === 0 ? {} : { extra: user.extra ?? {} };
  const uid = user.uid === undefined ? {} : { uid: user.uid };
  return { ...asked, username: user.username, ...uid, groups: user.groups, ...extra };
}

const approval: Subresource<Csr> = {
  name: "approval",
  verbs: SUBRESOURCE_VERBS,
  resets: ["spec", "status.certificate"],
  prepareUpdate: (sent, current, facts) => {
    const conditions = stampConditions(sent.status?.conditions ?? [], current, facts.nowMs);
    const certificate = current.status?.certificate;
    const status = { conditions, ...(certificate === undefined ? {} : { certificate }) };
    return withStatus({ ...sent, spec: current.spec }, status);
  },
  validateUpdate: (next, current) => validateStatusUpdate(next, current, { mayDecide: true }),
};

const status: Subresource<Csr> = {
  name: "status",
  verbs: SUBRESOURCE_VERBS,
  resets: ["spec", "status.conditions"],
  prepareUpdate: (sent, current, facts) => {
    const restored = restoreConditions(sent.status?.conditions ?? [], current);
    const conditions = stampConditions(restored, current, facts.nowMs);
    return withStatus({ ...sent, spec: current.spec }, { ...sent.status, conditions });
  },
  validateUpdate: (next, current) => validateStatusUpdate(next, current, { mayDecide: false }),
};

export const csrStrategy = defineStrategy<Csr>({
  resource: CSRS,
  shortNames: ["csr"],
  nameRule: pathSegment,
  resets: ["spec", "status"],
  subresources: [approval, status],
  prepareCreate: (sent, facts) => withStatus({ ...sent, spec: stampRequester(sent.spec ?? {}, facts) }, undefined),
  proof: REQUEST_PROOF,
  validateCreate: (next) => validateSpec(next.spec),
  prepareUpdate: (sent, current) => withStatus({ ...sent, spec: current.spec }, current.status),
  selectableFields: (csr) => ({ "spec.signerName": csr.spec.signerName }),
  table: CSR_TABLE,
});
