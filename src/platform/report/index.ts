export { createLog, type LogDestination, type LogOptions } from "./create-log.ts";
export { LOG_LEVELS, type Log, type LogFields, type LogLevel, silentLog } from "./log.ts";
