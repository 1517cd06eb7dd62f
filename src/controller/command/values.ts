// Texts of the command line as values: spans of time, addresses, names of objects. Fault `bad-config` with the flag's name.

import { Fault } from "../../kernel/outcome/index.ts";

const UNIT_MS: Readonly<Record<string, number>> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };

export function parseSpan(flag: string, text: string): number {
  const [, count, unit = ""] = /^(\d{1,6})(ms|s|m|h|d)$/.exec(text) ?? [];
  const ms = Number(count) * (UNIT_MS[unit] ?? Number.NaN);
  if (ms > 0) return ms;
  throw new Fault(
    "bad-config",
    `${flag} is ${JSON.stringify(text)}, expected a span such as 500ms, 15s, 10m, 24h or 365d`,
  );
}

const MAX_PORT = 65_535;

/** `:8080` listens on every address. */
export function parseAddress(flag: string, text: string): { readonly host: string; readonly port: number } {
  const [, bracketed, plain, digits] = /^(?:\[([0-9a-fA-F:]+)\]|([^:[\]]*)):(\d{1,5})$/.exec(text) ?? [];
  const port = Number(digits);
  if (digits === undefined || port > MAX_PORT) {
    throw new Fault("bad-config", `${flag} is ${JSON.stringify(text)}, expected host:port`);
  }
  return { host: bracketed ?? (plain === undefined || plain === "" ? "0.0.0.0" : plain), port };
}

export function parseSecretName(flag: string, text: string): { readonly namespace: string; readonly name: string } {
  const [namespace = "", name = "", ...rest] = text.split("/");
  if (namespace !== "" && name !== "" && rest.length === 0) return { namespace, name };
  throw new Fault("bad-config", `${flag} is ${JSON.stringify(text)}, expected namespace/name`);
}
