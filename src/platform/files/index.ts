export {
  atomicWriteFile,
  ensureDirectory,
  removeIfPresent,
  removeLeftovers,
  temporaryPath,
  type WriteOptions,
} from "./atomic-write.ts";
export { type FileSystem, nodeFileSystem } from "./file-system.ts";
export { type FollowOptions, followFile } from "./follow-file.ts";
export { loadText, loadTextIfPresent } from "./load-text.ts";
export { acquireLock, type Lock, type LockOptions } from "./lock.ts";
export { requirePrivate } from "./private-directory.ts";
export type { Processes } from "./processes.ts";
export { type LockWait, waitForLock, waitForLockUnless } from "./wait-for-lock.ts";
