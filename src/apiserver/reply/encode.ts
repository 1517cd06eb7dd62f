// Answer -> bytes, in the format that was agreed on; a watch as a stream of events.

import { encodeUtf8 } from "../../kernel/bytes/index.ts";
import type { HttpAnswer } from "../../platform/http/index.ts";
import type { Answer, Call } from "../call.ts";
import type { Watch } from "../watching/watch.ts";
import { createEventEncoder, encodeDocument, STREAM_TYPES } from "./format.ts";
import { type Context, contextOf, shapeEvent, shapeList, shapeObject } from "./transform.ts";

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
      return encodeDocument(answer.status, shapeObject(answer.object, contextOf(call, now)), call);
    case "list":
      return encodeDocument(200, shapeList(answer.items, answer.meta, contextOf(call, now)), call);
    case "events":
      return stream(answer.watch, contextOf(call, now), call.request.signal);
  }
}

function text(status: number, body: string): HttpAnswer {
  const headers = { "content-type": "text/plain; charset=utf-8", "x-content-type-options": "nosniff" };
  return { status, headers, body: encodeUtf8(body) };
}

function stream(watch: Watch, context: Context, signal: AbortSignal): HttpAnswer {
  // A client that is gone, or a server that shuts down, ends the watch: nobody reads on.
  if (signal.aborted) watch.close();
  else signal.addEventListener("abort", () => watch.close(), { once: true });
  const headers = { "content-type": STREAM_TYPES[context.accepted.format], "cache-control": "no-cache, private" };
  return { status: 200, headers, body: frames(watch, context), givenUp: watch.abandoned };
}

async function* frames(watch: Watch, context: Context): AsyncGenerator<string | Uint8Array> {
  let isFirst = true;
  for await (const event of watch) {
    const at = { ...context, withColumns: isFirst };
    const object = event.type === "ERROR" ? event.object : shapeEvent(event.type, event.object, at);
    yield encodeEvent(event.type, object, context.accepted.format);
    isFirst = false;
  }
}
