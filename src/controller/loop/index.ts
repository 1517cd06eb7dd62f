export { type Feature, REQUEST_WORKERS, type Syncing } from "./feature.ts";
export { createKeyedLock, type KeyedLock } from "./keyed-lock.ts";
export { createLoopMetrics } from "./loop-metrics.ts";
export { type Handler, type Loop, type Next, runLoop, UNTIL_CHANGED } from "./run-loop.ts";
