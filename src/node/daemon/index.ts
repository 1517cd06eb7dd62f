export { runNodeDaemon } from "./daemon.ts";
export type { DaemonOptions, DiscoveryPlaces, ServingOptions, StatusOptions } from "./options.ts";
export { type Renewal, type RenewOptions, renewCertificate } from "./renew.ts";
