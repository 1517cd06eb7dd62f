// The HTTPS listener: limits, the peer's certificates as bytes, and a shutdown that leaves no socket behind.
// A client certificate is asked for but not judged here: whether it is good is decided for every request, against the
// CA bundle of that moment (step 2, apiserver/authentication). HTTP/1.1 only.

import type { IncomingMessage, OutgoingHttpHeaders, ServerResponse } from "node:http";
import { setTimeout as delay } from "node:timers/promises";
import { createEnding, type Ending } from "./ending.ts";
import { type HttpAnswer, type HttpHandler, type HttpHeaders, type HttpRequest, isWhole } from "./exchange.ts";
import { peerCertificatesOf } from "./peer-certificates.ts";
import { readBody } from "./read-body.ts";
import { createTlsServer, listen, type ServingCertificate, useCertificate } from "./tls-server.ts";

/** What open requests may still need at a shutdown; a peer that stalls in the middle of a body is cut off after it. */
const SHUTDOWN_GRACE_MS = 2_000;

/** A reader that takes nothing of a stream for so long is gone, although its connection is not. */
const STALLED_READER_MS = 60_000;

export interface ListenerOptions {
  readonly host: string;
  /** 0 picks a free port. */
  readonly port: number;
  readonly servingCertificate: ServingCertificate;
  readonly handler: HttpHandler;
}

export interface Listener {
  readonly host: string;
  readonly port: number;
  /** New handshakes use it from now on; connections that are open keep what they have. */
  useCertificate(certificate: ServingCertificate): void;
  /** Refuses new connections, fires the signal of every open request, waits for the answers, then ends the sockets. */
  close(): Promise<void>;
}

export async function startListener(options: ListenerOptions): Promise<Listener> {
  // One ending per request and a set of them, not one signal that all others depend on: in Node 20 such a signal remembers
  // every dependant for ever.
  const open = new Map<Ending, Promise<void>>();
  const server = createTlsServer(options.servingCertificate, (message, response) => {
    const ending = createEnding();
    const done = serve(message, response, { handler: options.handler, ending });
    open.set(ending, done);
    void done.then(() => open.delete(ending));
  });
  const { port } = await listen(server, options);
  return {
    host: options.host,
    port,
    useCertificate: (certificate) => useCertificate(server, certificate),
    close: async () => {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      for (const ending of open.keys()) ending.come("the server is shutting down");
      server.closeIdleConnections();
      await withinGrace(Promise.allSettled([...open.values()]));
      server.closeAllConnections();
      await closed;
    },
  };
}

async function withinGrace(work: Promise<unknown>): Promise<void> {
  const grace = new AbortController();
  await Promise.race([work, delay(SHUTDOWN_GRACE_MS, undefined, { signal: grace.signal }).catch(() => undefined)]);
  grace.abort();
}

interface Serving {
  readonly handler: HttpHandler;
  readonly ending: Ending;
}

/** Never rejects: whatever goes wrong ends this one connection. */
async function serve(message: IncomingMessage, response: ServerResponse, serving: Serving): Promise<void> {
  const { handler, ending } = serving;
  response.once("close", () => ending.come("the peer went away"));
  try {
    const answer = await handler(toRequest(message, ending));
    // What is left of an unread body must never be taken for the next request, nor read to its end.
    const isLast = ending.hasCome() || !message.complete;
    await send(response, isLast ? { ...answer, headers: { ...answer.headers, connection: "close" } } : answer);
  } catch {
    // The handler turns every failure into an answer, so this is a socket that broke while the answer was written.
    response.destroy();
  }
}

function toRequest(message: IncomingMessage, ending: Ending): HttpRequest {
  return {
    method: message.method ?? "",
    target: message.url ?? "",
    headers: headersOf(message),
    peerCertificates: peerCertificatesOf(message.socket),
    remoteAddress: message.socket.remoteAddress ?? "",
    get signal() {
      return ending.signal();
    },
    readBody: (limit) => readBody(message, limit),
  };
}

/** Headers of which every value counts on its own: joined with commas, two groups could pose as one or one as two. */
const REPEATABLE = "impersonate-";

function headersOf(message: IncomingMessage): HttpHeaders {
  const { headers } = message;
  const names = Object.keys(headers).filter((name) => name.startsWith(REPEATABLE));
  if (names.length === 0) return headers;
  return { ...headers, ...Object.fromEntries(names.map((name) => [name, message.headersDistinct[name]])) };
}

async function send(response: ServerResponse, answer: HttpAnswer): Promise<void> {
  const { status, headers, body } = answer;
  if (isWhole(body)) {
    response.writeHead(status, { ...headers, "content-length": Buffer.byteLength(body) } as OutgoingHttpHeaders);
    // Headers and text leave in one write; bytes in a second one, corked together.
    response.end(body);
    return;
  }
  response.writeHead(status, headers as OutgoingHttpHeaders);
  response.flushHeaders();
  answer.givenUp?.addEventListener("abort", () => response.destroy(), { once: true });
  for await (const chunk of body) {
    if (response.destroyed) return;
    if (!response.write(chunk)) await drained(response);
  }
  response.end();
}

/** A reader that is slower than the stream holds the stream back, not the memory of this process; but not for ever. */
async function drained(response: ServerResponse): Promise<void> {
  await new Promise<void>((resolve) => {
    const stalled = setTimeout(() => response.destroy(), STALLED_READER_MS);
    const go = () => {
      clearTimeout(stalled);
      response.off("drain", go);
      response.off("close", go);
      resolve();
    };
    response.once("drain", go);
    response.once("close", go);
  });
}
