export { createLog } from "./create-log.ts";
export { type LineFile, openLineFile } from "./line-file.ts";
export {
  LOG_LEVELS,
  type Log,
  type LogDestination,
  type LogFields,
  type LogLevel,
  type LogOptions,
  silentLog,
} from "./log.ts";
export { LOG_FLAGS, parseLogLevel, verbosityOf } from "./log-level.ts";
export {
  addProcessMetrics,
  type Counter,
  createMetrics,
  type Gauge,
  type Histogram,
  type Labels,
  METRICS_TYPE,
  type MetricOptions,
  type Metrics,
  type Reading,
} from "./metrics.ts";
export {
  type Check,
  type CheckResult,
  STATUS_LIMITS,
  type StatusServer,
  type StatusServerOptions,
  startStatusServer,
} from "./status-server.ts";
