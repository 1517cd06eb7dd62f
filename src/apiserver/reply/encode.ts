// Answer -> bytes, in the format that was agreed on; a watch as a stream of events.

import { apiVersionOf, type ListMeta } from "../../api/meta/index.ts";
import { assert } from "../../kernel/outcome/index.ts";
import type { HttpAnswer } from "../../platform/http/index.ts";
import type { Answer, Call } from "../call.ts";
import { MEDIA_TYPES } from "../entry/accept.ts";
import type { Content } from "../storage/storage.ts";
import type { Watch } from "../watching/watch.ts";
import { createEventEncoder, encodeDocument, isIndented, STREAM_TYPES } from "./format.ts";
import { bareItem, type Context, contextOf, listHead, shapeEvent, shapeList, shapeObject } from "./transform.ts";

const encodeEvent = createEventEncoder();

export function encodeAnswer(answer: Answer, call: Call, now: () => number): HttpAnswer {
  switch (answer.kind) {
    case "sent":
      return answer.http;
    case "text":
      return text(answer.status, answer.text);
    case "document":
      return encodeDocument(answer.status, answer.body, call);
    case "object":
      return encodeObject(answer, call, now);
    case "list":
      return encodeList(answer, call, now);
    case "events":
      return stream(answer.watch, contextOf(call, now), call.request.signal);
  }
}

/** A client that wants the object as it is stored gets the text that storage holds. */
function encodeObject({ status, content }: AnswerOf<"object">, call: Call, now: () => number): HttpAnswer {
  if (content.text !== undefined && isAsStored(call)) return json(status, `${content.text}\n`);
  return encodeDocument(status, shapeObject(content.object, contextOf(call, now)), call);
}

function encodeList({ items, meta }: AnswerOf<"list">, call: Call, now: () => number): HttpAnswer {
  const context = contextOf(call, now);
  // A signature is over the whole body, so the body cannot be streamed.
  if (!isAsStored(call) || call.replyKey !== undefined) {
    const objects = items.map(({ object }) => object);
    return encodeDocument(200, shapeList(objects, meta, context), call);
  }
  const pieces = listPieces(items, meta, context);
  const first = pieces.next().value ?? "";
  return json(200, first.length < PIECE_CHARACTERS ? first : withFirst(first, pieces));
}

type AnswerOf<K extends Answer["kind"]> = Extract<Answer, { readonly kind: K }>;

/** JSON without indentation, neither a Table nor bare metadata. */
function isAsStored(call: Call): boolean {
  const { format, transform } = call.accepted;
  return format === "json" && transform === undefined && !isIndented(call);
}

function json(status: number, body: HttpAnswer["body"]): HttpAnswer {
  return { status, headers: { "content-type": MEDIA_TYPES.json }, body };
}

async function* withFirst(first: string, rest: Iterable<string>): AsyncGenerator<string> {
  yield first;
  yield* rest;
}

function text(status: number, body: string): HttpAnswer {
  const headers = { "content-type": "text/plain; charset=utf-8", "x-content-type-options": "nosniff" };
  return { status, headers, body };
}

function stream(watch: Watch, context: Context, signal: AbortSignal): HttpAnswer {
  // A client that has gone, or a server that shuts down, ends the watch.
  if (signal.aborted) watch.close();
  else signal.addEventListener("abort", () => watch.close(), { once: true });
  const headers = { "content-type": STREAM_TYPES[context.accepted.format], "cache-control": "no-cache, private" };
  return { status: 200, headers, body: frames(watch, context), givenUp: watch.abandoned };
}

async function* frames(watch: Watch, context: Context): AsyncGenerator<string | Uint8Array> {
  const { format, transform } = context.accepted;
  const isPlain = format === "json" && transform === undefined;
  let isFirst = true;
  for await (const event of watch) {
    if (isPlain && event.type !== "ERROR" && event.content.text !== undefined) {
      yield `{"type":"${event.type}","object":${event.content.text}}\n`;
      continue;
    }
    const at = { ...context, withColumns: isFirst };
    const object = event.type === "ERROR" ? event.status : shapeEvent(event.type, event.content.object, at);
    yield encodeEvent(event.type, object, format);
    isFirst = false;
  }
}

// A list in JSON, made of the texts of its items and in pieces: a list of some thousand objects is never one string in
// memory, and none of its objects is parsed or encoded for it.

/** A shorter list is sent as a whole; kube-apiserver neither compresses nor streams below this size. */
export const PIECE_CHARACTERS = 128 * 1024;

/** One piece, or several of at least `PIECE_CHARACTERS` but for the last. */
export function* listPieces(items: readonly Content[], meta: ListMeta, context: Context): Generator<string> {
  const head = JSON.stringify({ ...listHead(meta, context), items: [] });
  const itemText = itemEncoder(context);
  let piece = head.slice(0, -"]}".length);
  let separator = "";
  for (const item of items) {
    piece += separator + itemText(item);
    separator = ",";
    if (piece.length < PIECE_CHARACTERS) continue;
    yield piece;
    piece = "";
  }
  yield `${piece}]}\n`;
}

/** Items of a built-in kind do not repeat kind and apiVersion of the list, which come first in their text. */
function itemEncoder({ strategy }: Context): (item: Content) => string {
  assert(strategy !== undefined, "a list belongs to a stored kind");
  if (strategy.custom !== undefined) return ({ text, object }) => text ?? JSON.stringify(object);
  const { kind } = strategy.resource;
  const said = `{"kind":${JSON.stringify(kind)},"apiVersion":${JSON.stringify(apiVersionOf(strategy.resource))},`;
  return (item) =>
    item.text?.startsWith(said) ? `{${item.text.slice(said.length)}` : JSON.stringify(bareItem(item.object));
}
