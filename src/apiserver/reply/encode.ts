// Answer -> bytes: JSON whole, as a Table or as bare metadata; a watch as one JSON document per line.

import { apiVersionOf, INITIAL_EVENTS_END, type KubeObject, type ListMeta } from "../../api/meta/index.ts";
import { encodeUtf8 } from "../../kernel/bytes/index.ts";
import { assert } from "../../kernel/outcome/index.ts";
import { type HttpAnswer, headerValue } from "../../platform/http/index.ts";
import type { Answer, Call } from "../call.ts";
import type { Strategy } from "../resources/strategy.ts";
import type { Watch } from "../watching/watch.ts";
import type { Accepted } from "./accept.ts";
import { type IncludeObject, partialMetadata, tableOf } from "./table.ts";

export function encodeAnswer(answer: Answer, call: Call, now: () => number): HttpAnswer {
  switch (answer.kind) {
    case "sent":
      return answer.http;
    case "text":
      return text(answer.status, answer.text);
    case "document":
      return json(answer.status, answer.body, call);
    case "object":
      return json(answer.status, shapeObject(answer.object, contextOf(call, now)), call);
    case "list":
      return json(200, shapeList(answer.items, answer.meta, contextOf(call, now)), call);
    case "events":
      return stream(answer.watch, contextOf(call, now), call.request.signal);
  }
}

function text(status: number, body: string): HttpAnswer {
  const headers = { "content-type": "text/plain; charset=utf-8", "x-content-type-options": "nosniff" };
  return { status, headers, body: encodeUtf8(body) };
}

export function json(status: number, body: unknown, call: Call): HttpAnswer {
  const encoded = isPretty(call) ? JSON.stringify(body, null, 2) : JSON.stringify(body);
  return { status, headers: { "content-type": "application/json" }, body: encodeUtf8(`${encoded}\n`) };
}

/** People read what curl and browsers show. */
function isPretty({ query, request }: Call): boolean {
  const asked = query.first("pretty");
  if (asked !== undefined) return asked === "true" || asked === "1";
  return /^(?:curl|Wget|Mozilla\/5\.0)/.test(headerValue(request.headers, "user-agent") ?? "");
}

interface Context {
  readonly accepted: Accepted;
  readonly strategy: Strategy | undefined;
  readonly include: IncludeObject;
  /** Asked again for every event of a watch: an age is told as of now. */
  readonly now: () => number;
  /** In a watch only the first table names the columns. */
  readonly withColumns: boolean;
}

function contextOf(call: Call, now: () => number): Context {
  const strategy = call.endpoint?.kind === "stored" ? call.endpoint.strategy : undefined;
  const asked = call.query.first("includeObject");
  const include = asked === "None" || asked === "Object" ? asked : "Metadata";
  return { accepted: call.accepted, strategy, include, now, withColumns: true };
}

function shapeObject(object: KubeObject, context: Context): unknown {
  const { transform, version } = context.accepted;
  if (transform === "PartialObjectMetadata") return partialMetadata(object, version);
  if (transform !== "Table") return object;
  const { resourceVersion } = object.metadata;
  return table([object], resourceVersion === undefined ? {} : { resourceVersion }, context);
}

function shapeList(items: readonly KubeObject[], meta: ListMeta, context: Context): unknown {
  const { transform, version } = context.accepted;
  if (transform === "Table") return table(items, meta, context);
  if (transform !== undefined) {
    const partial = items.map((object) => partialMetadata(object, version));
    return { kind: "PartialObjectMetadataList", apiVersion: `meta.k8s.io/${version}`, metadata: meta, items: partial };
  }
  assert(context.strategy !== undefined, "a list belongs to a stored kind");
  const { resource } = context.strategy;
  return { kind: `${resource.kind}List`, apiVersion: apiVersionOf(resource), metadata: meta, items: items.map(bare) };
}

/** Inside a list of a built-in kind the items do not repeat what the list has said. */
function bare(object: KubeObject): unknown {
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

function stream(watch: Watch, context: Context, signal: AbortSignal): HttpAnswer {
  // A client that is gone, or a server that shuts down, ends the watch: nobody reads on.
  if (signal.aborted) watch.close();
  else signal.addEventListener("abort", () => watch.close(), { once: true });
  const headers = { "content-type": "application/json", "cache-control": "no-cache, private" };
  return { status: 200, headers, body: lines(watch, context), givenUp: watch.abandoned };
}

async function* lines(watch: Watch, context: Context): AsyncGenerator<string> {
  let isFirst = true;
  for await (const event of watch) {
    const at = { ...context, withColumns: isFirst };
    const object = event.type === "ERROR" ? event.object : shapeEvent(event.type, event.object, at);
    yield `${JSON.stringify({ type: event.type, object })}\n`;
    isFirst = false;
  }
}

function shapeEvent(type: string, object: KubeObject, context: Context): unknown {
  if (context.accepted.transform !== "Table") return shapeObject(object, context);
  const { resourceVersion } = object.metadata;
  const meta = resourceVersion === undefined ? {} : { resourceVersion };
  const isShown = type !== "BOOKMARK" || object.metadata.annotations?.[INITIAL_EVENTS_END] === "true";
  if (type === "BOOKMARK" && isShown) return bookmarkTable(object, meta, context);
  return table(isShown ? [object] : [], meta, context);
}

/** The end of the initial events must show its annotation, and its object has no fields to make cells of. */
function bookmarkTable(object: KubeObject, meta: ListMeta, context: Context): unknown {
  const { version } = context.accepted;
  const rows = [{ cells: [], object: partialMetadata(object, version) }];
  return { kind: "Table", apiVersion: `meta.k8s.io/${version}`, metadata: meta, columnDefinitions: null, rows };
}
