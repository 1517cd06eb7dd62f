export type { CallOptions, KubeClient, ListOptions } from "./client.ts";
export type { Connection, CredentialSource } from "./connection/credentials.ts";
export {
  type LoadedConnection,
  type LoadOptions,
  loadConnection,
  loadKubeconfigClient,
  loadKubeconfigConnection,
} from "./connection/load-connection.ts";
export { findCommand } from "./connection/run-plugin.ts";
export { createKubeClient } from "./create-client.ts";
export { createEventRecorder, type EventRecorder, type EventWords } from "./events/recorder.ts";
export { faultFromResponse, retryAfterMs } from "./faults.ts";
export { type ChangeHandler, createInformer, type Informer, type InformerOptions } from "./informer/informer.ts";
export { runElector } from "./lease/elector.ts";
export { fenceWrites, LEASE_TIMING, requireTiming, type Term, type Timing } from "./lease/term.ts";
export { type BackoffLimits, backoffMs, createTokenBucket, type Rate, type TokenBucket, waitAfterMs } from "./pace.ts";
export type { FlowOptions } from "./queue/flows.ts";
export { createWorkQueue, type WorkQueue } from "./queue/work-queue.ts";
