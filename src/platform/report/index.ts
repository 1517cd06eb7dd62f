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
