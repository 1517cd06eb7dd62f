// How much a program says: `--log-level` in words, or `--v` in klog's numbers, which people of Kubernetes write by habit.

import { Fault } from "../../kernel/outcome/index.ts";
import { parseChoice, parseVerbosity } from "../flags/index.ts";
import { LOG_LEVELS, type LogLevel } from "./log.ts";

/** From here on what is of use for steady running is said, and what only developers need. */
const INFO_FROM = 2;
const DEBUG_FROM = 4;

export interface SaidLevel {
  readonly level?: string | undefined;
  readonly v?: string | undefined;
}

/** Fault `bad-config` when both are given: they could contradict each other. */
export function parseLogLevel({ level, v }: SaidLevel, fallback: LogLevel = "info"): LogLevel {
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
