// The log that writes, on pino: JSON lines with ISO times, or the same lines turned into sentences for a terminal.

import { type Logger, destination as openDestination, pino, stdTimeFunctions } from "pino";
import type { Log, LogDestination, LogFields, LogOptions } from "./log.ts";
import { redactFields, redactText } from "./redact.ts";

const STDERR = 2;

export function createPinoLog({ level = "info", destination, format = "json" }: LogOptions): Log {
  // Written at once: the lines before a crash are those that matter.
  const raw = destination ?? openDestination({ fd: STDERR, sync: true });
  const logger = pino(
    {
      level,
      base: null,
      messageKey: "message",
      timestamp: stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
    },
    format === "json" ? raw : asText(raw),
  );
  return wrap(logger);
}

function wrap(logger: Logger): Log {
  const at = (level: "debug" | "info" | "warn" | "error") => (message: string, fields?: LogFields) => {
    if (!logger.isLevelEnabled(level)) return;
    logger[level](fields === undefined ? {} : redactFields(fields), redactText(message));
  };
  return {
    debug: at("debug"),
    info: at("info"),
    warn: at("warn"),
    error: at("error"),
    child: (fields) => wrap(logger.child(redactFields(fields))),
  };
}

/** `12:00:01 warn  watch ended  resource=nodes error={"code":"unavailable",…}` */
function asText(destination: LogDestination): LogDestination {
  return {
    write: (line) => {
      const { time, level, message, ...fields } = JSON.parse(line) as Record<string, unknown>;
      const rest = Object.entries(fields).map(([name, value]) => ` ${name}=${textOf(value)}`);
      const clockTime = String(time).slice(11, 19);
      destination.write(
        `${clockTime} ${String(level).padEnd(5)} ${String(message)}${rest.length > 0 ? " " : ""}${rest.join("")}\n`,
      );
    },
  };
}

function textOf(value: unknown): string {
  return typeof value === "string" && /^[\w./:@-]+$/.test(value) ? value : JSON.stringify(value);
}
