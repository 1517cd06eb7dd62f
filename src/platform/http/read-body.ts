// The whole body of a request, up to a limit. Events instead of the stream's iterator: a body is mostly one chunk, and the
// iterator costs as much as parsing what it brings.

import type { IncomingMessage } from "node:http";
import { Fault } from "../../kernel/outcome/index.ts";

/** Told of each piece that came; what it throws ends the reading. */
export type OnBytes = (count: number) => void;

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
      // The rest stays unread: whoever answers ends the connection.
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
