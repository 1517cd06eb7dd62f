export { requireOneCluster } from "./find-cluster.ts";
export { CLIENT_SIGNER_ANNOTATION, type InfraCluster, SERVING_SIGNER_ANNOTATION } from "./infra-cluster.ts";
export { createRegistration, type Registration, type RegistrationOptions } from "./register.ts";
export { type AdvertisedSigners, advertisedSigners } from "./signers.ts";
