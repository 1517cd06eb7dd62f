export type {
  CallOptions,
  KubeClient,
  ListOptions,
  PatchOptions,
  PatchType,
  Target,
  WatchOptions,
} from "./client.ts";
export { anonymous, type Connection, type CredentialSource, type Credentials } from "./connection/credentials.ts";
export {
  type InClusterOptions,
  type LoadedConnection,
  type LoadOptions,
  loadConnection,
  loadKubeconfigClient,
  loadKubeconfigConnection,
} from "./connection/load-connection.ts";
export { findCommand } from "./connection/run-plugin.ts";
export { createKubeClient } from "./create-client.ts";
export { createEventRecorder, type EventRecorder, type EventWords, type RecorderOptions } from "./events/recorder.ts";
export { type FailedResponse, faultFromResponse, retryAfterMs } from "./faults.ts";
export type { IndexFunction } from "./informer/indexes.ts";
export { type ChangeHandler, createInformer, type Informer, type InformerOptions } from "./informer/informer.ts";
export type { Change } from "./informer/store.ts";
export { type ElectionEnd, type ElectorOptions, runElector } from "./lease/elector.ts";
export { fenceWrites, LEASE_TIMING, requireTiming, type Term, type Timing } from "./lease/term.ts";
export { type BackoffLimits, backoffMs, createTokenBucket, type Rate, type TokenBucket, waitAfterMs } from "./pace.ts";
export type { FlowOptions } from "./queue/flows.ts";
export { createWorkQueue, type WorkQueue, type WorkQueueOptions } from "./queue/work-queue.ts";
