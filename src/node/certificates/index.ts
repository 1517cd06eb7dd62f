export { checkIssued, parseCertificates } from "./check.ts";
export { type CurrentPair, loadCurrentPair } from "./current.ts";
export type { RequestState } from "./judge.ts";
export { type StoreLayout, storeLayout } from "./layout.ts";
export { type ObtainOptions, obtainCertificate } from "./obtain.ts";
export { type CertificatePlan, jitterOf, planCertificate } from "./plan.ts";
export { requirePrivate } from "./private-directory.ts";
export { REQUEST_LIMIT_MS, type RequestProgress } from "./request.ts";
export { type CertificateStore, createCertificateStore } from "./store.ts";
