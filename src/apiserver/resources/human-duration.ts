// "5d3h": how kubectl shows ages. Behaviour of k8s.io/apimachinery/pkg/util/duration.

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const YEAR = 365 * DAY;

export function humanDuration(ms: number): string {
  const seconds = Math.trunc(ms / SECOND);
  if (seconds < -1) return "<invalid>";
  if (seconds < 0) return "0s";
  if (seconds < 120) return `${seconds}s`;
  if (ms < 10 * MINUTE) return two(ms, { big: MINUTE, bigUnit: "m", small: SECOND, smallUnit: "s" });
  if (ms < 180 * MINUTE) return `${Math.trunc(ms / MINUTE)}m`;
  if (ms < 8 * HOUR) return two(ms, { big: HOUR, bigUnit: "h", small: MINUTE, smallUnit: "m" });
  if (ms < 48 * HOUR) return `${Math.trunc(ms / HOUR)}h`;
  if (ms < 8 * DAY) return two(ms, { big: DAY, bigUnit: "d", small: HOUR, smallUnit: "h" });
  if (ms < 2 * YEAR) return `${Math.trunc(ms / DAY)}d`;
  if (ms < 8 * YEAR) return two(ms, { big: YEAR, bigUnit: "y", small: DAY, smallUnit: "d" });
  return `${Math.trunc(ms / YEAR)}y`;
}

function two(ms: number, units: { big: number; bigUnit: string; small: number; smallUnit: string }): string {
  const whole = Math.trunc(ms / units.big);
  const rest = Math.trunc((ms % units.big) / units.small);
  return rest === 0 ? `${whole}${units.bigUnit}` : `${whole}${units.bigUnit}${rest}${units.smallUnit}`;
}

/** The age of an object, or of anything with a time. */
export function ageOf(timestamp: string | undefined, nowMs: number): string {
  const at = timestamp === undefined ? Number.NaN : Date.parse(timestamp);
  return Number.isNaN(at) ? "<unknown>" : humanDuration(nowMs - at);
}
