// How a kind looks in `kubectl get`: columns and cells. reply/table.ts makes the Table document of them.

import type { KubeObject } from "../../api/meta/index.ts";
import { ageOf } from "./human-duration.ts";

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

export interface RowCondition {
  readonly type: string;
  readonly status: string;
  readonly reason: string;
  readonly message: string;
}

export const NAME_COLUMN: Column = { name: "Name", type: "string", format: "name", priority: 0 };

export function column(name: string, priority: 0 | 1 = 0): Column {
  return { name, type: "string", format: "", priority };
}

/** A column that is no text. */
export function typedColumn(name: string, type: Column["type"]): Column {
  return { ...column(name), type };
}

export function nameOf(object: KubeObject): string {
  return object.metadata.name ?? "";
}

export function ageCell(object: KubeObject, nowMs: number): string {
  return ageOf(object.metadata.creationTimestamp, nowMs);
}

/** Kinds without columns of their own: the name and when it was made. */
export const DEFAULT_TABLE: TableLayout = {
  columns: [NAME_COLUMN, { name: "Created At", type: "date", format: "", priority: 0 }],
  cells: (object) => [nameOf(object), object.metadata.creationTimestamp ?? null],
};
