export { runNodeDaemon } from "./daemon.ts";
export type { DaemonOptions, ServingOptions, StatusOptions } from "./options.ts";
export { type Renewal, type RenewOptions, renewCertificate } from "./renew.ts";
