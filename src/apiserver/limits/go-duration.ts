// Durations as Go writes them: `10s`, `1m30s`, `1.5h`, `250ms`.

const UNITS: Readonly<Record<string, number>> = {
  ns: 1e-6,
  us: 1e-3,
  µs: 1e-3,
  ms: 1,
  s: 1_000,
  m: 60_000,
  h: 3_600_000,
};
/** Nothing honest is longer. */
const MAX_CHARACTERS = 64;
const PART = /(\d+(?:\.\d*)?|\.\d+)(ns|us|µs|ms|s|m|h)/gy;

/** Milliseconds; undefined for what Go would not read. */
export function parseGoDuration(text: string): number | undefined {
  if (text.length > MAX_CHARACTERS) return undefined;
  const sign = text.startsWith("-") ? -1 : 1;
  const body = text.replace(/^[+-]/, "");
  if (body === "0") return 0;
  let ms = 0;
  let end = 0;
  for (const [whole, amount, unit] of body.matchAll(PART)) {
    ms += Number(amount) * (UNITS[unit ?? ""] ?? 0);
    end += whole.length;
  }
  return body !== "" && end === body.length ? sign * ms : undefined;
}
