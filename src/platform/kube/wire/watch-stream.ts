// A watch on the wire: JSON objects, one a line, for as long as the server likes. Pieces of any size come in, whole
// events come out. A line has a limit, an ERROR event is thrown as the Fault it carries, and half an event at the end
// is a fault: the connection broke.

import { isStatus, type KubeObject, type WatchEvent, type WatchEventType } from "../../../api/meta/index.ts";
import { Fault } from "../../../kernel/outcome/index.ts";
import { faultFromStatus } from "../faults.ts";

/** An object has at most 1.5 MiB in etcd; as JSON with every character escaped it could be several times that. */
const EVENT_MAX_BYTES = 16 * 1024 * 1024;

const NEWLINE = 0x0a;
const EVENT_TYPES: ReadonlySet<string> = new Set<WatchEventType>(["ADDED", "MODIFIED", "DELETED", "BOOKMARK", "ERROR"]);

export async function* readEvents<T extends KubeObject>(
  pieces: AsyncIterable<Uint8Array>,
  maxBytes: number = EVENT_MAX_BYTES,
): AsyncGenerator<WatchEvent<T>, void, void> {
  const lines = createLineSplitter(maxBytes);
  for await (const piece of pieces) {
    for (const line of lines.push(piece)) yield parseEvent<T>(line);
  }
  if (lines.pending() > 0) throw new Fault("unavailable", "the watch ended in the middle of an event");
}

interface LineSplitter {
  push(piece: Uint8Array): Iterable<string>;
  /** Bytes of a line that has begun. */
  pending(): number;
}

function createLineSplitter(maxBytes: number): LineSplitter {
  // Pieces of one line are joined once, at its end: joining at each piece would be quadratic in the size of an event.
  let parts: Uint8Array[] = [];
  let length = 0;

  function keep(part: Uint8Array): void {
    length += part.length;
    if (length > maxBytes) throw new Fault("limit-exceeded", `a watch event is longer than ${maxBytes} bytes`);
    if (part.length > 0) parts.push(part);
  }

  function* push(piece: Uint8Array): Iterable<string> {
    let start = 0;
    for (let end = piece.indexOf(NEWLINE); end !== -1; end = piece.indexOf(NEWLINE, start)) {
      keep(piece.subarray(start, end));
      const line = Buffer.concat(parts, length).toString("utf8");
      parts = [];
      length = 0;
      start = end + 1;
      if (line.trim() !== "") yield line;
    }
    keep(piece.subarray(start));
  }

  return { push, pending: () => length };
}

function parseEvent<T extends KubeObject>(line: string): WatchEvent<T> {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch (cause) {
    throw new Fault("malformed", "a watch event is not JSON", { cause });
  }
  const { type, object } = (value ?? {}) as { readonly type?: unknown; readonly object?: unknown };
  if (type === "ERROR") throw isStatus(object) ? faultFromStatus(object) : unexplained();
  if (typeof type !== "string" || !EVENT_TYPES.has(type) || !isKubeObject(object)) {
    throw new Fault("malformed", "a watch event has no known type or no object");
  }
  return { type: type as WatchEventType, object: object as T };
}

function unexplained(): Fault {
  return new Fault("unavailable", "the server ended the watch with an error that is not a Status");
}

function isKubeObject(value: unknown): value is KubeObject {
  if (typeof value !== "object" || value === null) return false;
  const { metadata } = value as { readonly metadata?: unknown };
  return typeof metadata === "object" && metadata !== null;
}
