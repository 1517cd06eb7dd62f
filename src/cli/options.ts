// Option values as text from the command line to the types the commands want, with a message that names the flag.

import { Fault } from "../kernel/outcome/index.ts";
import { parseChoice, parseDuration } from "../platform/flags/index.ts";
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

/** A whole number, above zero unless zero means something too. */
export function countOption(options: OptionValues, name: string, { least = 1 }: { least?: 0 | 1 } = {}): number {
  const text = requiredText(options, name);
  const count = /^\d{1,9}$/.test(text) ? Number(text) : Number.NaN;
  if (!(count >= least)) {
    const expected = least === 0 ? "a whole number" : "a whole number above zero";
    throw new Fault("bad-config", `--${kebab(name)} is ${JSON.stringify(text)}, expected ${expected}`);
  }
  return count;
}

export function durationOption(options: OptionValues, name: string, bounds?: { readonly minMs: number }): number {
  return parseDuration(`--${kebab(name)}`, requiredText(options, name), bounds);
}

/** For what is on unless the value is `false`. */
export function booleanOption(options: OptionValues, name: string): boolean {
  return parseChoice(`--${kebab(name)}`, requiredText(options, name), ["true", "false"]) === "true";
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
  return parseChoice("--output", requiredText(options, "output"), ["text", "json"]);
}
