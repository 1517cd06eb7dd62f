// The HTTPS listener: limits, the peer's certificates as bytes, and a shutdown that leaves no socket behind.
// A client certificate is asked for but not judged here: whether it is good is decided for every request, against the
// CA bundle of that moment (step 2, apiserver/authentication). HTTP/1.1 only.

import type { IncomingMessage, OutgoingHttpHeaders, ServerResponse } from "node:http";
import { isIP } from "node:net";
import { networkInterfaces } from "node:os";
import { setTimeout as delay } from "node:timers/promises";
import { Fault } from "../../kernel/outcome/index.ts";
import { type ConnectionLimits, limitConnections } from "./connections.ts";
import {
  type HttpAnswer,
  type HttpHandler,
  type HttpHeaders,
  type HttpRequest,
  isWhole,
  readBody,
} from "./exchange.ts";
import {
  createStalledReaders,
  STALLED_READER_LIMITS,
  type StalledReaderLimits,
  type StalledReaders,
} from "./stalled-readers.ts";
import {
  CONNECTION_LIMITS,
  createTlsServer,
  listen,
  peerCertificatesOf,
  type ServingCertificate,
  useCertificate,
} from "./tls-server.ts";

/** What open requests may still need at a shutdown; a peer that stalls in the middle of a body is cut off after it. */
const SHUTDOWN_GRACE_MS = 2_000;

/** What is longer is handed over piece by piece, so that it is seen whether its reader takes anything. */
const PIECE_BYTES = 64 * 1024;

export interface ListenerOptions {
  readonly host: string;
  /** 0 picks a free port. */
  readonly port: number;
  readonly servingCertificate: ServingCertificate;
  readonly handler: HttpHandler;
  /** Default: those of every listener of ours. */
  readonly connections?: ConnectionLimits;
  /** Default: those of every listener of ours. */
  readonly stalledReaders?: StalledReaderLimits;
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
  // One ending per request and a set of them, not one signal that all others depend on: in Node 20 such a signal
  // remembers every dependant for ever.
  const open = new Map<Ending, Promise<void>>();
  const stalled = createStalledReaders(options.stalledReaders ?? STALLED_READER_LIMITS);
  const server = createTlsServer(options.servingCertificate, (message, response) => {
    const ending = createEnding();
    const done = serve(message, response, { handler: options.handler, ending, stalled });
    response.once("close", connections.used(message.socket));
    open.set(ending, done);
    void done.then(() => open.delete(ending));
  });
  const limits = options.connections ?? CONNECTION_LIMITS;
  // One that is closed for a new one is still counted by Node for a moment.
  server.maxConnections = 2 * limits.all;
  const connections = limitConnections(server, limits);
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
  readonly stalled: StalledReaders;
}

/** Never rejects: whatever goes wrong ends this one connection. */
async function serve(message: IncomingMessage, response: ServerResponse, serving: Serving): Promise<void> {
  const { handler, ending, stalled } = serving;
  response.once("close", () => ending.come("the peer went away"));
  try {
    const answer = await handler(toRequest(message, ending));
    // What is left of an unread body must never be taken for the next request, nor read to its end.
    const isLast = ending.hasCome() || !message.complete;
    const last = isLast ? { ...answer, headers: { ...answer.headers, connection: "close" } } : answer;
    await send(response, last, stalled);
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
    readBody: (limit, onBytes) => readBody(message, limit, onBytes),
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

async function send(response: ServerResponse, answer: HttpAnswer, stalled: StalledReaders): Promise<void> {
  const { status, headers, body } = answer;
  if (isWhole(body)) {
    const length = Buffer.byteLength(body);
    response.writeHead(status, { ...headers, "content-length": length } as OutgoingHttpHeaders);
    // Headers and text leave in one write; bytes in a second one, corked together.
    if (length <= PIECE_BYTES) response.end(body);
    else await sendParts(response, [body], stalled);
    return;
  }
  response.writeHead(status, headers as OutgoingHttpHeaders);
  response.flushHeaders();
  answer.givenUp?.addEventListener("abort", () => response.destroy(), { once: true });
  await sendParts(response, body, stalled);
}

type Parts = Iterable<string | Uint8Array> | AsyncIterable<string | Uint8Array>;

/** A reader that is slower than the answer holds the answer back, not the memory of this process. */
async function sendParts(response: ServerResponse, parts: Parts, stalled: StalledReaders): Promise<void> {
  for await (const part of parts) {
    for (const piece of piecesOf(part)) {
      if (response.destroyed) return;
      if (!response.write(piece)) await stalled.drained(response, part.length);
    }
  }
  response.end();
}

/** Text that is short enough stays text: Node writes it without a copy of its own. */
function* piecesOf(part: string | Uint8Array): Generator<string | Uint8Array> {
  if (part.length * (typeof part === "string" ? 3 : 1) <= PIECE_BYTES) {
    yield part;
    return;
  }
  const bytes = typeof part === "string" ? Buffer.from(part) : part;
  for (let at = 0; at < bytes.length; at += PIECE_BYTES) yield bytes.subarray(at, at + PIECE_BYTES);
}

// The end of one exchange: the peer went away, or the listener closes. Most requests are answered before their signal
// is used, so the signal and the fault it carries are made for those that do.

interface Ending {
  /** The same at every call; it has fired already when the end came before. */
  signal(): AbortSignal;
  hasCome(): boolean;
  /** The first one counts. */
  come(why: string): void;
}

function createEnding(): Ending {
  let reason: string | undefined;
  let controller: AbortController | undefined;
  return {
    signal: () => {
      controller ??= new AbortController();
      if (reason !== undefined && !controller.signal.aborted) controller.abort(new Fault("aborted", reason));
      return controller.signal;
    },
    hasCome: () => reason !== undefined,
    come: (why) => {
      reason ??= why;
      if (controller?.signal.aborted === false) controller.abort(new Fault("aborted", reason));
    },
  };
}

// The address under which others reach a server of this machine.

/**
 * The address that the server listens on; for one that means "all of them", the machine's first own address, as
 * kube-apiserver chooses its --advertise-address. Undefined on a machine without a network, and where the server
 * listens to itself alone: other machines cannot reach it.
 */
export function dialableAddress(host: string): string | undefined {
  if (isIP(host) !== 0 && !isOfThisMachine(host)) return host;
  if (!UNSPECIFIED.includes(host)) return undefined;
  const all = Object.values(networkInterfaces()).flatMap((addresses) => addresses ?? []);
  const outside = all.filter(({ internal, address }) => !internal && !isOfThisMachine(address));
  return (outside.find(({ family }) => family === "IPv4") ?? outside[0])?.address;
}

const UNSPECIFIED: readonly string[] = ["0.0.0.0", "::"];

/** Loopback, unspecified and link-local addresses mean something else on every machine. */
function isOfThisMachine(address: string): boolean {
  return /^(?:127\.|0\.0\.0\.0$|169\.254\.|::1?$|fe[89ab])/i.test(address);
}
