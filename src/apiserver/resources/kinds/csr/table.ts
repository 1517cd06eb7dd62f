// `kubectl get csr`.

import type { CertificateSigningRequest } from "../../../../api/certificates/index.ts";
import { humanDuration } from "../../human-duration.ts";
import { ageCell, column, NAME_COLUMN, nameOf, type TableLayout } from "../../table.ts";

export const CSR_TABLE: TableLayout<CertificateSigningRequest> = {
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

/** Denied beats Approved beats Pending; then what became of it. */
function conditionCell(csr: CertificateSigningRequest): string {
  const has = (type: string) => csr.status?.conditions?.some((condition) => condition.type === type) === true;
  const decided = has("Denied") ? "Denied" : has("Approved") ? "Approved" : "Pending";
  const failed = has("Failed") ? ",Failed" : "";
  return `${decided}${failed}${(csr.status?.certificate ?? "") === "" ? "" : ",Issued"}`;
}
