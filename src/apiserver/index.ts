export type { AuditRotation } from "./audit/log-file.ts";
export { type AuditLogFile, openAuditLog } from "./audit/log-file.ts";
export { parsePolicy } from "./audit/policy.ts";
export type { ApiServerOptions } from "./options.ts";
export type { RequestLine } from "./reply/stage.ts";
export { type ApiServer, startApiServer } from "./server.ts";
export { openLmdbStorage } from "./storage/lmdb.ts";
export type { Storage } from "./storage/storage.ts";
