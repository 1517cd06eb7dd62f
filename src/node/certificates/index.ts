export { type AttestationSettings, evidenceClusterOf, takesEvidence } from "./attested/index.ts";
export {
  type BootPlaces,
  type BootPlan,
  type ClusterPlace,
  gatherBoot,
  type OpenAccess,
  openClusterAccess,
  planBoot,
} from "./boot/index.ts";
export { checkIssued, nodeRootsOf } from "./check.ts";
export { type CurrentPair, loadCurrentPair } from "./current.ts";
export type { RequestState } from "./judge.ts";
export { type CertificatePurpose, type StoreLayout, storeLayout } from "./layout.ts";
export {
  type CertificateManager,
  type ClusterAccess,
  createCertificateManager,
  type InitialPair,
  type ManagerEvent,
  type ManagerOptions,
} from "./manager/index.ts";
export { obtainCertificate } from "./obtain.ts";
export type { ObtainOptions } from "./obtain-options.ts";
export { findOthers, requireNoOthers } from "./others-pair.ts";
export { type CertificatePlan, jitterOf, type Lifetime, PLUGIN_JITTER, planCertificate, usefulLife } from "./plan.ts";
export { REQUEST_LIMIT_MS, type RequestProgress } from "./request.ts";
export { machineAddresses, servingNamesOf } from "./serving/index.ts";
export { type CertificateStore, createCertificateStore, openFit, repairWhenFree } from "./store/index.ts";
export { commonNameOf, type ServingNames } from "./template.ts";
export { hotSwapServer } from "./tls/index.ts";
export { listWaitingNames } from "./waiting-names.ts";
export { whoAmI } from "./who-am-i.ts";
