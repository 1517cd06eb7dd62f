// One HTTP request and its answer as plain values, so that everything behind the listener can be tested without a
// socket; and how the body of a request is read.

import type { IncomingMessage } from "node:http";
import { Fault } from "../../kernel/outcome/index.ts";

/**
 * Lower-case names, as Node gives them; a repeated header is joined or dropped by Node's own rules, never passed on
 * twice.
 */
export type HttpHeaders = Readonly<Record<string, string | readonly string[] | undefined>>;

export interface HttpRequest {
  readonly method: string;
  /** Path and query exactly as they came, still percent-encoded. */
  readonly target: string;
  readonly headers: HttpHeaders;
  /** DER, leaf first, as the peer sent them and **not verified**; empty when the peer sent none. */
  readonly peerCertificates: readonly Uint8Array[];
  readonly remoteAddress: string;
  /**
   * Fires when the peer goes away or the listener closes; after a whole answer it does not fire. Made when first
   * asked for.
   */
  readonly signal: AbortSignal;
  /**
   * The whole body. Fault `limit-exceeded` as soon as more than `limit` bytes came, `aborted` when the peer went away.
   */
  readBody(limit: number, onBytes?: (count: number) => void): Promise<Uint8Array>;
}

export interface HttpAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
  /**
   * Text is sent as UTF-8. A stream is sent chunk by chunk, each flushed at once; it must end when the request's signal
   * fires.
   */
  readonly body: string | Uint8Array | AsyncIterable<string | Uint8Array>;
  /** Fires when a stream is given up although its reader has not read all of it: the connection is ended at once. */
  readonly givenUp?: AbortSignal;
}

/** A body that is known as a whole. */
export function isWhole(body: HttpAnswer["body"]): body is string | Uint8Array {
  return typeof body === "string" || body instanceof Uint8Array;
}

export type HttpHandler = (request: HttpRequest) => Promise<HttpAnswer>;

/** The first value of a header, or undefined. */
export function headerValue(headers: HttpHeaders, name: string): string | undefined {
  const value = headers[name];
  return typeof value === "string" ? value : value?.[0];
}

// The whole body of a request, up to a limit. Events instead of the stream's iterator: a body is mostly one chunk, and
// the iterator costs as much as parsing what it brings.

/** Told of each piece that came; what it throws ends the reading. */
type OnBytes = (count: number) => void;

/** Fault `limit-exceeded` as soon as more than `limit` bytes came, `aborted` when the peer went away. */
export function readBody(message: IncomingMessage, limit: number, onBytes?: OnBytes): Promise<Uint8Array> {
  if (Number(message.headers["content-length"] ?? 0) > limit) return Promise.reject(tooLarge(limit));
  if (message.destroyed && !message.complete) return Promise.reject(gone(message.errored));
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    const settle = (end: () => void) => {
      message.off("data", onData).off("end", onEnd).off("error", onGone).off("close", onGone);
      end();
    };
    const onData = (chunk: Buffer) => {
      size += chunk.length;
      chunks.push(chunk);
      const objection = size > limit ? tooLarge(limit) : thrownBy(() => onBytes?.(chunk.length));
      if (objection === undefined) return;
      // The rest stays unread: the answer ends the connection.
      message.pause();
      settle(() => reject(objection));
    };
    const onEnd = () => settle(() => resolve(joined(chunks)));
    const onGone = (cause?: Error) => settle(() => reject(gone(cause)));
    message.on("data", onData).on("end", onEnd).on("error", onGone).on("close", onGone);
  });
}

function thrownBy(tell: () => void): unknown {
  try {
    tell();
    return undefined;
  } catch (error) {
    return error;
  }
}

function joined(chunks: readonly Buffer[]): Buffer {
  const [first = Buffer.alloc(0)] = chunks;
  return chunks.length <= 1 ? first : Buffer.concat(chunks);
}

function tooLarge(limit: number): Fault {
  return new Fault("limit-exceeded", `Request entity too large: limit is ${limit}`, { detail: { limit } });
}

function gone(cause: unknown): Fault {
  return new Fault("aborted", "the peer went away while sending the body", { cause });
}
