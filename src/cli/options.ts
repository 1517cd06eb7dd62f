// Option values as text from the command line to the types the commands want, with a message that names the flag.

import { Fault } from "../kernel/outcome/index.ts";
import type { CommandOption, OptionValues } from "./command.ts";

export function textOption(options: OptionValues, name: string): string | undefined {
  const value = options[name];
  return typeof value === "string" && value !== "" ? value : undefined;
}

export function requiredText(options: OptionValues, name: string): string {
  const value = textOption(options, name);
  if (value === undefined) throw new Fault("bad-config", `--${kebab(name)} is missing`);
  return value;
}

export function flagOption(options: OptionValues, name: string): boolean {
  return options[name] === true;
}

export function listOption(options: OptionValues, name: string): readonly string[] {
  const value = options[name];
  if (Array.isArray(value)) return value;
  return typeof value === "string" ? [value] : [];
}

const PORT_MAX = 65_535;

export function portOption(options: OptionValues, name: string): number {
  const text = requiredText(options, name);
  const port = /^\d{1,5}$/.test(text) ? Number(text) : Number.NaN;
  if (!(port >= 0 && port <= PORT_MAX)) {
    throw new Fault(
      "bad-config",
      `--${kebab(name)} is ${JSON.stringify(text)}, expected a number from 0 to ${PORT_MAX}`,
    );
  }
  return port;
}

/** A whole number above zero. */
export function countOption(options: OptionValues, name: string): number {
  const text = requiredText(options, name);
  const count = /^\d{1,9}$/.test(text) ? Number(text) : 0;
  if (count === 0) {
    throw new Fault("bad-config", `--${kebab(name)} is ${JSON.stringify(text)}, expected a whole number above zero`);
  }
  return count;
}

const UNIT_MS: Readonly<Record<string, number>> = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** `90s`, `15m`, `24h`, `7d`; also several in a row, as Go writes them: `24h0m0s`. */
export function durationOption(options: OptionValues, name: string): number {
  const text = requiredText(options, name);
  if (!/^(?:\d{1,6}[smhd]){1,4}$/.test(text)) {
    throw new Fault(
      "bad-config",
      `--${kebab(name)} is ${JSON.stringify(text)}, expected a duration such as 90s, 15m, 24h or 7d`,
    );
  }
  const parts = [...text.matchAll(/(\d+)([smhd])/g)];
  return parts.reduce((sum, [, count, unit = ""]) => sum + Number(count) * (UNIT_MS[unit] ?? 0), 0);
}

function kebab(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}

export const OUTPUT_OPTION: CommandOption = {
  flags: "-o, --output <form>",
  description: "text or json",
  default: "text",
};

export function outputForm(options: OptionValues): "text" | "json" {
  const form = requiredText(options, "output");
  if (form === "text" || form === "json") return form;
  throw new Fault("bad-config", `--output is ${JSON.stringify(form)}, expected text or json`);
}
