export { waitForLock, waitForLockUnless } from "./lock.ts";
export { requirePrivate } from "./private-directory.ts";
export { repairWhenFree } from "./repair-when-free.ts";
export { type CertificateStore, createCertificateStore, type StoreOptions } from "./store.ts";
