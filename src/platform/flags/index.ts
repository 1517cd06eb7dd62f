export { describeFlags, type FlagTable, type FlagValues, flagNames, readFlags } from "./flag-table.ts";
export { type Address, parseAddress, parseChoice, parseDuration, parseVerbosity, requireFlag } from "./values.ts";
