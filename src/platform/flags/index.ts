export { type FlagValues, parseFlags } from "./parse-flags.ts";
export { type Address, parseAddress, parseChoice, parseDuration, parseVerbosity, requireFlag } from "./values.ts";
