export type { RequestLine, Stage } from "./call.ts";
export { STAGES } from "./chain.ts";
export { type ApiServer, type ApiServerOptions, startApiServer } from "./server.ts";
export {
  createMemoryStorage,
  type LmdbStorageOptions,
  type MemoryStorageOptions,
  openLmdbStorage,
  type Storage,
} from "./storage/index.ts";
