export { tooLarge } from "./faults.ts";
export { DEFAULT_HISTORY_LIMITS, type HistoryLimits } from "./history.ts";
export { keyOf, prefixOf } from "./key.ts";
export { type LmdbStorageOptions, openLmdbStorage } from "./lmdb.ts";
export { createMemoryStorage, type MemoryStorageOptions } from "./memory.ts";
export type { Change, ChangeType, Content, ListRange, Page, Storage, Stored } from "./storage.ts";
