export { createLog } from "./create-log.ts";
export {
  LOG_LEVELS,
  type Log,
  type LogDestination,
  type LogFields,
  type LogLevel,
  type LogOptions,
  silentLog,
} from "./log.ts";
export {
  type Counter,
  createMetrics,
  type Gauge,
  type Histogram,
  type Labels,
  METRICS_TYPE,
  type MetricOptions,
  type Metrics,
} from "./metrics.ts";
export { addProcessMetrics } from "./process-metrics.ts";
