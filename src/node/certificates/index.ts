export { type AttestationSettings, evidenceClusterOf, takesEvidence } from "./attested/claims.ts";
export { type ClusterPlace, type OpenAccess, openClusterAccess } from "./boot/access.ts";
export { type BootPlaces, gatherBoot } from "./boot/gather.ts";
export { type BootPlan, planBoot } from "./boot/plan.ts";
export { checkIssued, nodeRootsOf } from "./check.ts";
export { type CurrentPair, findOthers, loadCurrentPair, requireNoOthers } from "./current.ts";
export { hotSwapServer } from "./hot-server.ts";
export type { RequestState } from "./judge.ts";
export { type CertificatePurpose, storeLayout } from "./layout.ts";
export { createCertificateManager } from "./manager/manager.ts";
export type {
  CertificateManager,
  InitialPair,
  ManagerEvent,
} from "./manager/options.ts";
export { obtainCertificate } from "./obtain.ts";
export { type CertificatePlan, jitterOf, planCertificate, usefulLife } from "./plan.ts";
export { REQUEST_LIMIT_MS, type RequestProgress, whoAmI } from "./request.ts";
export { machineAddresses, servingNamesOf } from "./serving-names.ts";
export { type CertificateStore, createCertificateStore, openFit, repairWhenFree } from "./store/store.ts";
export { commonNameOf, type ServingNames } from "./template.ts";
export { listWaitingNames } from "./waiting-names.ts";
