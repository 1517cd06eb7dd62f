// The audit trail: every verdict, issuance, revocation and policy change as one line, hash-chained, anchored in the
// cluster.

export { type Anchor, createAnchor, getAnchors, headsOf } from "./anchor.ts";
export { type AuditLine, parseLine } from "./chain.ts";
export { type CheckResult, checkTrail } from "./check.ts";
export { createRevocationAudit, type RevocationAudit } from "./revocations.ts";
export { type AuditTrail, auditLog, createAuditTrail, type LineSink } from "./trail.ts";
