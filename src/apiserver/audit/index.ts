export { type AuditLogFile, type AuditLogOptions, openAuditLog } from "./log-file.ts";
export { type AuditPolicy, DEFAULT_POLICY, parsePolicy } from "./policy.ts";
export { type AuditOptions, createAudit, NO_AUDIT } from "./recorder.ts";
export type { AuditRotation } from "./rotation.ts";
