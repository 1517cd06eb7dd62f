export { openFit } from "./open-fit.ts";
export { repairWhenFree } from "./repair-when-free.ts";
export { type CertificateStore, createCertificateStore, type StoreOptions } from "./store.ts";
