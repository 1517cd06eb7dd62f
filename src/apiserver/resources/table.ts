// How a kind looks in `kubectl get`: columns and cells. reply/table.ts makes the Table document of them.

import type { KubeObject } from "../../api/meta/index.ts";

export interface Column {
  readonly name: string;
  readonly type: "string" | "integer" | "number" | "boolean" | "date";
  /** "name" marks the column that identifies the row. */
  readonly format: string;
  /** 0 is always shown, more than that only with `-o wide`. */
  readonly priority: number;
  readonly description?: string;
}

export type Cell = string | number | boolean | null;

export interface TableLayout<T extends KubeObject = KubeObject> {
  readonly columns: readonly Column[];
  cells(object: T, nowMs: number): readonly Cell[];
  /** What is special about the row: kubectl leaves completed pods out on request. */
  conditions?(object: T): readonly RowCondition[];
}

interface RowCondition {
  readonly type: string;
  readonly status: string;
  readonly reason: string;
  readonly message: string;
}

export const NAME_COLUMN: Column = { name: "Name", type: "string", format: "name", priority: 0 };

export function column(name: string, priority: 0 | 1 = 0): Column {
  return { name, type: "string", format: "", priority };
}

/** A column of another type than string. */
export function typedColumn(name: string, type: Column["type"]): Column {
  return { ...column(name), type };
}

export function nameOf(object: KubeObject): string {
  return object.metadata.name ?? "";
}

export function ageCell(object: KubeObject, nowMs: number): string {
  return ageOf(object.metadata.creationTimestamp, nowMs);
}

export const AGE_TABLE: TableLayout = {
  columns: [NAME_COLUMN, column("Age")],
  cells: (object, nowMs) => [nameOf(object), ageCell(object, nowMs)],
};

/** Kinds without columns of their own: the name and the time of creation. */
export const DEFAULT_TABLE: TableLayout = {
  columns: [NAME_COLUMN, { name: "Created At", type: "date", format: "", priority: 0 }],
  cells: (object) => [nameOf(object), object.metadata.creationTimestamp ?? null],
};

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const YEAR = 365 * DAY;

/** "5d3h": how kubectl shows ages. Behaviour of k8s.io/apimachinery/pkg/util/duration. */
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
