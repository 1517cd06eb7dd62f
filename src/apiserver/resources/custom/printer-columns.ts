// How a custom resource looks in `kubectl get`: its name and the columns of its definition. Behaviour of
// k8s.io/apiextensions-apiserver/pkg/registry/customresource/tableconvertor.

import type { KubeObject } from "../../../api/meta/index.ts";
import type { Json } from "../../../kernel/json/index.ts";
import { ageOf, type Cell, type Column, NAME_COLUMN, nameOf, type TableLayout } from "../table.ts";
import type { PrinterColumn } from "./definition.ts";
import { parseJsonPath } from "./json-path.ts";

const AGE: PrinterColumn = { name: "Age", type: "date", jsonPath: ".metadata.creationTimestamp" };

export function printedTable(columns: readonly PrinterColumn[] | undefined): TableLayout {
  const shown = columns === undefined || columns.length === 0 ? [AGE] : columns;
  const paths = shown.map(({ jsonPath = "", type = "" }) => ({ find: parseJsonPath(jsonPath), type }));
  return {
    columns: [NAME_COLUMN, ...shown.map(columnOf)],
    cells: (object, nowMs) => [
      nameOf(object),
      ...paths.map(({ find, type }) => cellOf(find?.(asJson(object))[0], type, nowMs)),
    ],
  };
}

function asJson(object: KubeObject): Json {
  return object as unknown as Json;
}

function columnOf({ name = "", type, format = "", priority = 0, description = "", jsonPath }: PrinterColumn): Column {
  const told = description === "" ? `Custom resource definition column (in JSONPath format): ${jsonPath}` : description;
  return { name, type: type as Column["type"], format, description: told, priority };
}

/** A value of another type than the column's gives an empty cell. */
const CELLS: Readonly<Record<string, (value: Json, nowMs: number) => Cell>> = {
  string: (value) => (typeof value === "string" ? value : JSON.stringify(value)),
  integer: (value) => (typeof value === "number" ? Math.trunc(value) : null),
  number: (value) => (typeof value === "number" ? value : null),
  boolean: (value) => (typeof value === "boolean" ? value : null),
  date: (value, nowMs) => (typeof value === "string" ? dateCell(value, nowMs) : null),
};

function cellOf(value: Json | undefined, type: string, nowMs: number): Cell {
  return value === undefined || value === null ? null : (CELLS[type]?.(value, nowMs) ?? null);
}

function dateCell(text: string, nowMs: number): string {
  return Number.isNaN(Date.parse(text)) ? "<invalid>" : ageOf(text, nowMs);
}
