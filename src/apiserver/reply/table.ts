// Objects -> the Table document that kubectl prints, and the bare metadata that goes into its rows. Pure.

import type { KubeObject, ListMeta } from "../../api/meta/index.ts";
import type { TableLayout } from "../resources/table.ts";

export type IncludeObject = "Metadata" | "None" | "Object";

export interface TableInput {
  readonly layout: TableLayout;
  readonly items: readonly KubeObject[];
  readonly meta: ListMeta;
  readonly nowMs: number;
  /** Of meta.k8s.io. */
  readonly version: string;
  readonly include: IncludeObject;
  /** In a watch only the first table names the columns. */
  readonly withColumns: boolean;
}

export function tableOf(input: TableInput): unknown {
  const { layout, version } = input;
  return {
    kind: "Table",
    apiVersion: `meta.k8s.io/${version}`,
    metadata: input.meta,
    columnDefinitions: input.withColumns ? layout.columns.map((column) => ({ description: "", ...column })) : null,
    rows: input.items.map((object) => rowOf(object, input)),
  };
}

function rowOf(object: KubeObject, input: TableInput): unknown {
  const conditions = input.layout.conditions?.(object) ?? [];
  const special = conditions.length === 0 ? {} : { conditions };
  return { cells: input.layout.cells(object, input.nowMs), ...special, ...rowObject(object, input) };
}

function rowObject(object: KubeObject, { include, version }: TableInput): { object?: unknown } {
  if (include === "None") return {};
  return { object: include === "Object" ? object : partialMetadata(object, version) };
}

export function partialMetadata(object: KubeObject, version: string): unknown {
  return { kind: "PartialObjectMetadata", apiVersion: `meta.k8s.io/${version}`, metadata: object.metadata };
}
