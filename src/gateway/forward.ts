// One request through the gateway and its answer back: streamed as it comes, or, when it has to be signed, held until
// it is whole. Nothing is made for a request that it does not need; this is the path that the throughput hangs on.

import type { IncomingMessage, ServerResponse } from "node:http";
import { JWS_HEADER, MAX_SIGNED_BODY_BYTES, type ReplyKey, signDiscoveryAnswer } from "../api/bootstrap/index.ts";
import type { Incoming, OutgoingCall, Upstream } from "../platform/http/index.ts";
import { isCut, refusalOf, sendRefusal } from "./answers.ts";
import { answerHeaders } from "./headers.ts";

/** kube-apiserver itself gives up after a minute, and says so. */
const HEADERS_TIMEOUT_MS = 75_000;
/** Answers that go on for as long as the client reads; their first byte may take as long as needed. */
const LONG = /[?&]watch=|[?&]follow=|\/(?:proxy|attach|exec|portforward)(?:[/?]|$)|^\/apis?\/.*\/watch\//;

export function isLongRunning(target: string): boolean {
  return LONG.test(target);
}

interface Forwarding {
  readonly upstream: Upstream;
  /** Names and values in turn, as they go on. */
  readonly headers: readonly string[];
  readonly replyKey?: ReplyKey | undefined;
  /** The server behind was not there, or broke off. */
  readonly onFailure: (error: Error) => void;
}

export function forward(message: IncomingMessage, response: ServerResponse, forwarding: Forwarding): void {
  const { upstream, headers, replyKey, onFailure } = forwarding;
  const { method = "GET", url: target = "/" } = message;
  const call: OutgoingCall = {
    method,
    target,
    headers,
    body: hasBody(message) ? message : null,
    headersTimeoutMs: isLongRunning(target) ? 0 : HEADERS_TIMEOUT_MS,
  };
  const send = (mayRepeat: boolean) => {
    const answer = replyKey === undefined ? streamTo(response) : signFor(replyKey, response);
    upstream.call(call, {
      ...answer,
      failed: (error) => {
        // Answered already, or the client is gone: we broke off ourselves.
        if (response.writableEnded || response.destroyed) return;
        if (mayRepeat && !response.headersSent && isCut(error)) return send(false);
        onFailure(error);
        if (response.headersSent) response.destroy();
        else sendRefusal(response, { ...refusalOf(error), replyKey });
      },
    });
  };
  send(call.body === null && (method === "GET" || method === "HEAD"));
}

function hasBody({ headers }: IncomingMessage): boolean {
  const length = headers["content-length"];
  return headers["transfer-encoding"] !== undefined || (length !== undefined && length !== "0");
}

type Reading = Omit<Incoming, "failed">;

/** A reader that is slower than the server behind holds that one back, not the memory of this process. */
function streamTo(response: ServerResponse): Reading {
  return {
    begun: (abort) => response.once("close", () => endUnlessDone(response, abort)),
    head: (status, headers, resume) => {
      response.writeHead(status, answerHeaders(headers));
      // Headers leave with the first bytes; when there are none yet, as in a quiet watch, they leave alone.
      process.nextTick(() => response.flushHeaders());
      response.on("drain", resume);
      return true;
    },
    piece: (bytes) => response.write(bytes),
    end: () => void response.end(),
  };
}

function signFor(replyKey: ReplyKey, response: ServerResponse): Reading {
  let status = 0;
  let headers: string[] = [];
  let pieces: Buffer[] | undefined = [];
  let size = 0;
  let stop: (() => void) | undefined;
  return {
    begun: (abort) => {
      stop = abort;
      response.once("close", () => endUnlessDone(response, abort));
    },
    head: (code, raw) => {
      status = code;
      headers = answerHeaders(raw);
      return true;
    },
    piece: (bytes) => {
      size += bytes.length;
      if (size <= MAX_SIGNED_BODY_BYTES) pieces?.push(bytes);
      else if (pieces !== undefined) {
        pieces = undefined;
        refuseTooLong(response, replyKey);
        stop?.();
      }
      return true;
    },
    end: () => {
      if (pieces === undefined) return;
      const [only] = pieces;
      const body = only !== undefined && pieces.length === 1 ? only : Buffer.concat(pieces, size);
      response.writeHead(status, [...framed(headers, body), JWS_HEADER, signDiscoveryAnswer(body, replyKey)]);
      response.end(body);
    },
  };
}

function refuseTooLong(response: ServerResponse, replyKey: ReplyKey): void {
  const message = `an answer of more than ${MAX_SIGNED_BODY_BYTES} bytes is not signed for a discovery JWT`;
  sendRefusal(response, { status: 403, message, replyKey });
}

/** A body that came in chunks leaves whole, and only the gateway signs it. */
function framed(headers: readonly string[], body: Uint8Array): string[] {
  const kept: string[] = [];
  let hasLength = false;
  for (let at = 0; at + 1 < headers.length; at += 2) {
    const [header = "", value = ""] = [headers[at], headers[at + 1]];
    const name = header.toLowerCase();
    if (name === JWS_HEADER) continue;
    hasLength ||= name === "content-length";
    kept.push(header, value);
  }
  if (!hasLength) kept.push("Content-Length", String(body.length));
  return kept;
}

/** A client that went away before the end is not answered any further. */
function endUnlessDone(response: ServerResponse, abort: () => void): void {
  if (!response.writableFinished) abort();
}
