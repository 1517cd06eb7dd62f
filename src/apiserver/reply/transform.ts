// Objects and lists -> what the client asked for: the whole, a Table, or bare metadata.

import { apiVersionOf, INITIAL_EVENTS_END, type KubeObject, type ListMeta } from "../../api/meta/index.ts";
import { assert } from "../../kernel/outcome/index.ts";
import type { Call } from "../call.ts";
import type { Accepted } from "../entry/accept.ts";
import type { Strategy } from "../resources/strategy.ts";
import type { TableLayout } from "../resources/table.ts";

export interface Context {
  readonly accepted: Accepted;
  readonly strategy: Strategy | undefined;
  readonly include: IncludeObject;
  /** Read for every event of a watch: an age is counted up to now. */
  readonly now: () => number;
  /** In a watch only the first table names the columns. */
  readonly withColumns: boolean;
}

export function contextOf(call: Call, now: () => number): Context {
  const strategy = call.endpoint?.kind === "stored" ? call.endpoint.strategy : undefined;
  const asked = call.query.first("includeObject");
  const include = asked === "None" || asked === "Object" ? asked : "Metadata";
  return { accepted: call.accepted, strategy, include, now, withColumns: true };
}

export function shapeObject(object: KubeObject, context: Context): unknown {
  const { transform, version } = context.accepted;
  if (transform === "PartialObjectMetadata") return partialMetadata(object, version);
  if (transform !== "Table") return object;
  const { resourceVersion } = object.metadata;
  return table([object], resourceVersion === undefined ? {} : { resourceVersion }, context);
}

export function shapeList(items: readonly KubeObject[], meta: ListMeta, context: Context): unknown {
  const { transform, version } = context.accepted;
  if (transform === "Table") return table(items, meta, context);
  if (transform !== undefined) {
    const partial = items.map((object) => partialMetadata(object, version));
    return { kind: "PartialObjectMetadataList", apiVersion: `meta.k8s.io/${version}`, metadata: meta, items: partial };
  }
  const head = listHead(meta, context);
  return { ...head, items: context.strategy?.custom === undefined ? items.map(bareItem) : items };
}

/** What a list says before its items. */
export function listHead(meta: ListMeta, { strategy }: Context) {
  assert(strategy !== undefined, "a list belongs to a stored kind");
  const { resource, custom } = strategy;
  return {
    kind: custom?.listKind ?? `${resource.kind}List`,
    apiVersion: apiVersionOf(resource),
    metadata: custom === undefined ? meta : { continue: "", ...meta },
  };
}

/** Items of a built-in kind do not repeat kind and apiVersion of the list. */
export function bareItem(object: KubeObject): unknown {
  const { kind: _kind, apiVersion: _apiVersion, ...rest } = object;
  return rest;
}

function table(items: readonly KubeObject[], meta: ListMeta, context: Context): unknown {
  assert(context.strategy !== undefined, "a table belongs to a stored kind");
  const { include, now, accepted, strategy, withColumns } = context;
  return tableOf({
    layout: strategy.table,
    items,
    meta,
    nowMs: now(),
    version: accepted.version,
    include,
    withColumns,
  });
}

export function shapeEvent(type: string, object: KubeObject, context: Context): unknown {
  if (context.accepted.transform !== "Table") return shapeObject(object, context);
  const { resourceVersion } = object.metadata;
  const meta = resourceVersion === undefined ? {} : { resourceVersion };
  const isShown = type !== "BOOKMARK" || object.metadata.annotations?.[INITIAL_EVENTS_END] === "true";
  if (type === "BOOKMARK" && isShown) return bookmarkTable(object, meta, context);
  return table(isShown ? [object] : [], meta, context);
}

/** The bookmark at the end of the initial events must carry its annotation, and its object has no fields for cells. */
function bookmarkTable(object: KubeObject, meta: ListMeta, context: Context): unknown {
  const { version } = context.accepted;
  const rows = [{ cells: [], object: partialMetadata(object, version) }];
  return { kind: "Table", apiVersion: `meta.k8s.io/${version}`, metadata: meta, columnDefinitions: null, rows };
}

// Objects -> the Table document that kubectl prints, and the bare metadata of its rows. Pure.

type IncludeObject = "Metadata" | "None" | "Object";

interface TableInput {
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

function tableOf(input: TableInput): unknown {
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

function partialMetadata(object: KubeObject, version: string): unknown {
  return { kind: "PartialObjectMetadata", apiVersion: `meta.k8s.io/${version}`, metadata: object.metadata };
}
