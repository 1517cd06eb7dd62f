// Values of flags: durations, addresses, one choice of several. One reading for all programs,
// so that `90s` means the same everywhere. Fault `bad-config` names the flag, what stands there and what was expected.

import { Fault } from "../../kernel/outcome/index.ts";

export function requireFlag(flag: string, value: string | undefined): string {
  if (value === undefined || value === "") throw new Fault("bad-config", `${flag} is missing`);
  return value;
}

const UNIT_MS: Readonly<Record<string, number>> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };
const DURATION = /^(?:\d{1,6}(?:ms|s|m|h|d)){1,4}$/;

/** `500ms`, `90s`, `15m`, `24h`, `7d`; also several in a row, as Go writes them: `24h0m0s`. */
export function parseDuration(
  flag: string,
  text: string,
  { minMs = 0, maxMs = Number.POSITIVE_INFINITY } = {},
): number {
  if (!DURATION.test(text)) refuse(flag, text, "a duration such as 90s, 15m, 24h or 7d");
  const parts = [...text.matchAll(/(\d+)(ms|s|m|h|d)/g)];
  const ms = parts.reduce((sum, [, count, unit = ""]) => sum + Number(count) * (UNIT_MS[unit] ?? 0), 0);
  if (ms < minMs) refuse(flag, text, `at least ${encodeDuration(minMs)}`);
  if (ms > maxMs) refuse(flag, text, `at most ${encodeDuration(maxMs)}`);
  return ms;
}

/** In the largest unit that leaves no rest. */
function encodeDuration(ms: number): string {
  const [unit, unitMs] = Object.entries(UNIT_MS).findLast(([, each]) => ms % each === 0) ?? ["ms", 1];
  return `${ms / unitMs}${unit}`;
}

export interface Address {
  readonly host: string;
  readonly port: number;
}

const MAX_PORT = 65_535;

/** `host:port` or `[IPv6]:port`; `:8080` is that port on every address. */
export function parseAddress(flag: string, text: string): Address {
  const [, bracketed, plain = "", digits] = /^(?:\[([0-9a-fA-F:.]+)\]|([^:[\]\s]*)):(\d{1,5})$/.exec(text) ?? [];
  const port = Number(digits);
  if (digits === undefined || port > MAX_PORT) refuse(flag, text, "host:port such as 127.0.0.1:8080");
  return { host: bracketed ?? (plain === "" ? "0.0.0.0" : plain), port };
}

export function parseChoice<const T extends string>(flag: string, text: string, choices: readonly T[]): T {
  const chosen = choices.find((choice) => choice === text);
  if (chosen === undefined)
    refuse(flag, text, choices.length === 2 ? choices.join(" or ") : `one of ${choices.join(", ")}`);
  return chosen;
}

/** klog's numbers, as `--v=4` of every Kubernetes program. */
export function parseVerbosity(flag: string, text: string): number {
  if (!/^(?:\d|10)$/.test(text)) refuse(flag, text, "a number from 0 to 10");
  return Number(text);
}

function refuse(flag: string, text: string, expected: string): never {
  throw new Fault("bad-config", `${flag} is ${JSON.stringify(text)}, expected ${expected}`);
}
