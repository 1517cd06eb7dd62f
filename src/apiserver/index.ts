export { type AuditLogFile, type AuditRotation, openAuditLog, parsePolicy } from "./audit/index.ts";
export { STAGES, type Stage } from "./chain.ts";
export type { LoopTrouble } from "./controllers/index.ts";
export type { ApiServerOptions, ControllerChoices, ServiceAccountChoices } from "./options.ts";
export type { RequestLine } from "./reply/stage.ts";
export { type ApiServer, startApiServer } from "./server.ts";
export {
  createMemoryStorage,
  type LmdbStorageOptions,
  type MemoryStorageOptions,
  openLmdbStorage,
  type Storage,
} from "./storage/index.ts";
