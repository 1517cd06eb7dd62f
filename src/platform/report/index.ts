export { createLog } from "./create-log.ts";
export { openLineFile } from "./line-file.ts";
export { LOG_LEVELS, type Log, type LogFields, type LogLevel, type LogOptions, silentLog } from "./log.ts";
export { LOG_FLAGS, parseLogLevel, verbosityOf } from "./log-level.ts";
export {
  addProcessMetrics,
  type Counter,
  createMetrics,
  type Gauge,
  type Labels,
  METRICS_TYPE,
  type Metrics,
  type Reading,
} from "./metrics.ts";
export { type Check, STATUS_LIMITS, type StatusServer, startStatusServer } from "./status-server.ts";
