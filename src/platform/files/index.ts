export {
  atomicWriteFile,
  ensureDirectory,
  removeIfPresent,
  removeLeftovers,
  requirePrivate,
  temporaryPath,
  type WriteOptions,
} from "./atomic-write.ts";
export { type FileSystem, nodeFileSystem } from "./file-system.ts";
export { type FollowOptions, followFile, loadText, loadTextIfPresent } from "./follow-file.ts";
export { acquireLock, type Lock, type LockOptions, type LockWait, waitForLock, waitForLockUnless } from "./lock.ts";
export type { Processes } from "./processes.ts";
