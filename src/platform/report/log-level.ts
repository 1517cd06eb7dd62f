// How much a program logs: `--log-level` by name, or `--v` in klog's numbers, as other programs of Kubernetes take it.

import { Fault } from "../../kernel/outcome/index.ts";
import { type FlagTable, parseChoice, parseVerbosity } from "../flags/index.ts";
import { LOG_LEVELS, type LogLevel } from "./log.ts";

/** klog's numbers from which on steady running is reported, and what only developers need. */
const INFO_FROM = 2;
const DEBUG_FROM = 4;

export const LOG_FLAGS = {
  logLevel: { flag: "--log-level LEVEL", help: `${LOG_LEVELS.join(", ")} (default: info), or` },
  v: { flag: "--v NUMBER", short: "v", help: "the same in klog's numbers: 0 trouble only, 2 info, 4 debug" },
} as const satisfies FlagTable;

interface GivenLevel {
  readonly level?: string | undefined;
  readonly v?: string | undefined;
}

/** Fault `bad-config` when both are given: they could contradict each other. */
export function parseLogLevel({ level, v }: GivenLevel, fallback: LogLevel = "info"): LogLevel {
  if (level !== undefined && v !== undefined) {
    throw new Fault("bad-config", "--log-level and --v say the same thing in two ways, expected one of them");
  }
  if (v !== undefined) return levelOfVerbosity(parseVerbosity("--v", v));
  return level === undefined ? fallback : parseChoice("--log-level", level, LOG_LEVELS);
}

function levelOfVerbosity(verbosity: number): LogLevel {
  if (verbosity >= DEBUG_FROM) return "debug";
  return verbosity >= INFO_FROM ? "info" : "warn";
}

/** The other way round, for what counts in klog's numbers. */
export function verbosityOf(level: LogLevel): number {
  return level === "debug" ? DEBUG_FROM : level === "info" ? INFO_FROM : 0;
}
