export { createCertificateManager } from "./manager.ts";
export type {
  CertificateManager,
  ClusterAccess,
  InitialPair,
  ManagerEvent,
  ManagerOptions,
} from "./options.ts";
export type { RotationReason } from "./plan.ts";
