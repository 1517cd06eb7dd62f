// The HTTPS listener: limits, the peer's certificates as bytes, and a shutdown that leaves no socket behind.
// A client certificate is asked for but not judged here: whether it is good is decided for every request, against the
// CA bundle of that moment (step 2, apiserver/authentication). HTTP/1.1 only.

import { constants } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import { createServer, type Server } from "node:https";
import type { AddressInfo } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import { Fault } from "../../kernel/outcome/index.ts";
import type { HttpAnswer, HttpHandler, HttpHeaders, HttpRequest } from "./exchange.ts";
import { peerCertificatesOf } from "./peer-certificates.ts";

/** Longest request line and headers together. Selectors and continue tokens travel there; a browser's cookies do not. */
const MAX_HEADER_BYTES = 64 * 1024;
/** A peer that has not sent its headers by then holds a connection for nothing (kube-apiserver: 32 s as well). */
const HEADERS_TIMEOUT_MS = 32_000;
/** Headers and body together; 3 MiB in a minute is a slow but honest line. */
const REQUEST_TIMEOUT_MS = 60_000;
/** Longer than the pause between two heartbeats of a node, so that a node keeps its connection. */
const KEEP_ALIVE_TIMEOUT_MS = 90_000;
/** Each node holds a handful of connections; beyond this the process would run out of descriptors first. */
const MAX_CONNECTIONS = 16_384;

/** What open requests may still need at a shutdown; a peer that stalls in the middle of a body is cut off after it. */
const SHUTDOWN_GRACE_MS = 2_000;

export interface ServingCertificate {
  readonly certPem: string;
  readonly keyPem: string;
}

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
  // One controller per request and a set of them, not one signal that all others depend on: in Node 20 such a signal
  // remembers every dependant for ever.
  const open = new Map<AbortController, Promise<void>>();
  const server = createServer(serverOptions(options.servingCertificate), (message, response) => {
    const gone = new AbortController();
    const done = serve(message, response, { handler: options.handler, gone });
    open.set(gone, done);
    void done.finally(() => open.delete(gone));
  });
  server.maxConnections = MAX_CONNECTIONS;
  // The size of all headers is bounded; a bound on their number would drop the last ones in silence, a credential among them.
  server.maxHeadersCount = 0;
  server.on("tlsClientError", (_error, socket) => socket.destroy());
  const { port } = await listen(server, options);
  return {
    host: options.host,
    port,
    useCertificate: (certificate) => server.setSecureContext(secureContext(certificate)),
    close: async () => {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      for (const gone of open.keys()) gone.abort(new Fault("aborted", "the server is shutting down"));
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

function secureContext(certificate: ServingCertificate) {
  return {
    cert: certificate.certPem,
    key: certificate.keyPem,
    minVersion: "TLSv1.2" as const,
    // A resumed session would bring back the peer's leaf without the intermediates it sent.
    secureOptions: constants.SSL_OP_NO_TICKET,
  };
}

function serverOptions(certificate: ServingCertificate) {
  return {
    ...secureContext(certificate),
    ALPNProtocols: ["http/1.1"],
    requestCert: true,
    rejectUnauthorized: false,
    maxHeaderSize: MAX_HEADER_BYTES,
    headersTimeout: HEADERS_TIMEOUT_MS,
    requestTimeout: REQUEST_TIMEOUT_MS,
    keepAliveTimeout: KEEP_ALIVE_TIMEOUT_MS,
    insecureHTTPParser: false,
    requireHostHeader: true,
    noDelay: true,
  };
}

async function listen(server: Server, options: ListenerOptions): Promise<AddressInfo> {
  await new Promise<void>((resolve, reject) => {
    const onError = (cause: NodeJS.ErrnoException) => {
      const why = cause.code === "EADDRINUSE" ? "somebody else listens there" : cause.message;
      const detail = { port: options.port, systemCode: cause.code ?? "" };
      reject(new Fault("io-failed", `cannot listen on ${options.host}:${options.port}: ${why}`, { cause, detail }));
    };
    server.once("error", onError);
    server.listen(options.port, options.host, () => {
      server.off("error", onError);
      resolve();
    });
  });
  const address = server.address();
  if (address === null || typeof address === "string") throw new Fault("internal", "the listener has no TCP address");
  return address;
}

interface Serving {
  readonly handler: HttpHandler;
  /** Aborts when the peer goes away or the listener closes. */
  readonly gone: AbortController;
}

/** Never rejects: whatever goes wrong ends this one connection. */
async function serve(message: IncomingMessage, response: ServerResponse, serving: Serving): Promise<void> {
  const { handler, gone } = serving;
  response.once("close", () => gone.abort(new Fault("aborted", "the peer went away")));
  try {
    const answer = await handler(toRequest(message, gone.signal));
    // What is left of an unread body must never be taken for the next request, nor read to its end.
    const isLast = gone.signal.aborted || !message.complete;
    await send(response, isLast ? { ...answer, headers: { ...answer.headers, connection: "close" } } : answer);
  } catch {
    // The handler turns every failure into an answer, so this is a socket that broke while the answer was written.
    response.destroy();
  }
}

function toRequest(message: IncomingMessage, signal: AbortSignal): HttpRequest {
  return {
    method: message.method ?? "",
    target: message.url ?? "",
    headers: headersOf(message),
    peerCertificates: peerCertificatesOf(message.socket),
    remoteAddress: message.socket.remoteAddress ?? "",
    signal,
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

async function readBody(message: IncomingMessage, limit: number): Promise<Uint8Array> {
  const tooLarge = () =>
    new Fault("limit-exceeded", `Request entity too large: limit is ${limit}`, { detail: { limit } });
  if (Number(message.headers["content-length"] ?? 0) > limit) throw tooLarge();
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    for await (const chunk of message.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
      size += chunk.length;
      if (size > limit) throw tooLarge();
      chunks.push(chunk);
    }
  } catch (cause) {
    if (cause instanceof Fault) throw cause;
    throw new Fault("aborted", "the peer went away while sending the body", { cause });
  }
  return Buffer.concat(chunks);
}

async function send(response: ServerResponse, answer: HttpAnswer): Promise<void> {
  for (const [name, value] of Object.entries(answer.headers)) response.setHeader(name, value);
  if (answer.body instanceof Uint8Array) {
    response.setHeader("content-length", answer.body.length);
    response.writeHead(answer.status);
    response.end(answer.body);
    return;
  }
  response.writeHead(answer.status);
  response.flushHeaders();
  answer.givenUp?.addEventListener("abort", () => response.destroy(), { once: true });
  for await (const chunk of answer.body) {
    if (response.destroyed) return;
    if (!response.write(chunk)) await drained(response);
  }
  response.end();
}

/** A reader that is slower than the stream holds the stream back, not the memory of this process. */
async function drained(response: ServerResponse): Promise<void> {
  await new Promise<void>((resolve) => {
    const go = () => {
      response.off("drain", go);
      response.off("close", go);
      resolve();
    };
    response.once("drain", go);
    response.once("close", go);
  });
}
