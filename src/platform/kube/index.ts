export { type BackoffLimits, backoffMs, waitAfterMs } from "./backoff.ts";
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
export { findCommand } from "./connection/find-command.ts";
export {
  type InClusterOptions,
  type LoadedConnection,
  type LoadOptions,
  loadConnection,
  loadKubeconfigClient,
  loadKubeconfigConnection,
} from "./connection/load-connection.ts";
export { createKubeClient } from "./create-client.ts";
export { createEventRecorder, type EventRecorder, type EventWords, type RecorderOptions } from "./events/recorder.ts";
export { type FailedResponse, faultFromResponse, retryAfterMs } from "./faults.ts";
export type { ChangeHandler } from "./informer/audience.ts";
export type { IndexFunction } from "./informer/indexes.ts";
export { createInformer, type Informer, type InformerOptions } from "./informer/informer.ts";
export type { Change } from "./informer/store.ts";
export { type ElectionEnd, type ElectorOptions, runElector } from "./lease/elector.ts";
export { fenceWrites } from "./lease/fence.ts";
export { LEASE_TIMING, requireTiming, type Term, type Timing } from "./lease/term.ts";
export type { FlowOptions } from "./queue/flows.ts";
export { createTokenBucket, type Rate, type TokenBucket } from "./queue/token-bucket.ts";
export { createWorkQueue, type WorkQueue, type WorkQueueOptions } from "./queue/work-queue.ts";
