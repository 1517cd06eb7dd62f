export {
  atomicWriteFile,
  ensureDirectory,
  removeIfPresent,
  removeLeftovers,
  requirePrivate,
  temporaryPath,
} from "./atomic-write.ts";
export { type FileSystem, nodeFileSystem } from "./file-system.ts";
export { followFile, loadText, loadTextIfPresent } from "./follow-file.ts";
export { acquireLock, waitForLock, waitForLockUnless } from "./lock.ts";
