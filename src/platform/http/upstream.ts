// The server behind a proxy: requests go out as they came in, answers are handed on piece by piece. Connections are
// kept; what must not mix (requests under our own certificate and requests under none) uses two upstreams. Raw on
// purpose: a proxy that builds an object for every header is half as fast.

import type { IncomingMessage } from "node:http";
import { request as httpsRequest, type RequestOptions } from "node:https";
import type { Duplex, Readable } from "node:stream";
import { type ConnectionOptions, createSecureContext, type SecureContext } from "node:tls";
import type { Dispatcher } from "undici";
import { Fault } from "../../kernel/outcome/index.ts";
import type { ServingCertificate } from "./tls-server.ts";

const CONNECT_TIMEOUT_MS = 10_000;
/** Shorter than kube-apiserver waits (90 s), so that a request is never sent into a connection that is being closed. */
const KEEP_ALIVE_MS = 45_000;
/** Longest line and headers of an answer; Node's own default is a quarter of it. */
const MAX_ANSWER_HEADER_BYTES = 64 * 1024;

interface UpstreamOptions {
  /** `https://host:port`. */
  readonly origin: string;
  /** Trust anchors; the system's when left out. */
  readonly caPem?: string | undefined;
  /** The name to expect in the certificate where it differs from the host. */
  readonly serverName?: string | undefined;
  /** Our own certificate, for an upstream that trusts us to speak for others. */
  readonly pair?: ServingCertificate | undefined;
}

export interface Outgoing {
  readonly method: string;
  /** Path and query as they go onto the wire. */
  readonly target: string;
  /** Names and values in turn, without Host, which is the server's own. */
  readonly headers: readonly string[];
}

export interface OutgoingCall extends Outgoing {
  readonly body: Readable | null;
  /** How long the beginning of the answer may take; 0: as long as it likes. */
  readonly headersTimeoutMs: number;
}

/** How an answer comes in. `false` from `head` or `piece` stops it until the given `resume` is called. */
export interface Incoming {
  /** Called first; `abort` ends the exchange at any later time. */
  begun(abort: () => void): void;
  head(status: number, headers: readonly Buffer[], resume: () => void): boolean;
  piece(bytes: Buffer): boolean;
  end(): void;
  /** Instead of `end`. */
  failed(error: Error): void;
}

export interface Upstream {
  call(call: OutgoingCall, incoming: Incoming): void;
  /** Asks to leave HTTP. What the server says instead of 101 comes as an ordinary answer. */
  upgrade(outgoing: Outgoing): Promise<Upgraded | IncomingMessage>;
  /** No new calls; those that run may end by themselves. */
  retire(): void;
  close(): Promise<void>;
}

export interface Upgraded {
  readonly answer: IncomingMessage;
  readonly socket: Duplex;
  /** What came after the answer's head. */
  readonly begun: Buffer;
}

/** Fault `bad-config` when CA, certificate or key cannot be used. */
export async function createUpstream(options: UpstreamOptions): Promise<Upstream> {
  const secureContext = contextOf(options);
  // Loaded here: it takes longer than most programs that import this folder need for all they do.
  const { Pool } = await import("undici");
  const names = options.serverName === undefined ? {} : { servername: options.serverName };
  const pool = new Pool(options.origin, {
    connections: null,
    pipelining: 1,
    keepAliveTimeout: KEEP_ALIVE_MS,
    keepAliveMaxTimeout: KEEP_ALIVE_MS,
    maxHeaderSize: MAX_ANSWER_HEADER_BYTES,
    connect: { timeout: CONNECT_TIMEOUT_MS, secureContext, ...names },
  });
  return {
    call: (call, incoming) => void pool.dispatch(dispatchOf(call), handlersOf(incoming)),
    upgrade: ({ headers, ...outgoing }) =>
      upgrade(
        { ...outgoing, headers: ["Host", new URL(options.origin).host, ...headers] },
        { ...addressOf(options.origin), secureContext, ...names },
      ),
    // A pool that is closed takes nothing new and ends when its last answer has been read.
    retire: () => void pool.close(),
    close: () => pool.destroy(),
  };
}

function contextOf({ caPem, pair }: UpstreamOptions): SecureContext {
  try {
    const ca = caPem === undefined ? {} : { ca: caPem };
    return createSecureContext({ ...ca, ...(pair === undefined ? {} : { cert: pair.certPem, key: pair.keyPem }) });
  } catch (cause) {
    const message = "the CA, certificate or key for the server behind is unreadable, or the pair does not match";
    throw new Fault("bad-config", message, { cause });
  }
}

function dispatchOf({ method, target, headers, body, headersTimeoutMs }: OutgoingCall): Dispatcher.DispatchOptions {
  return {
    method: method as Dispatcher.HttpMethod,
    path: target,
    headers: headers as string[],
    body,
    headersTimeout: headersTimeoutMs,
    bodyTimeout: 0,
  };
}

function handlersOf(incoming: Incoming): Dispatcher.DispatchHandler {
  return {
    onConnect: (abort) => incoming.begun(() => abort()),
    // 1xx: only the last answer counts.
    onHeaders: (status, headers, resume) => (status < 200 ? true : incoming.head(status, headers, resume)),
    onData: (bytes) => incoming.piece(bytes),
    onComplete: () => incoming.end(),
    onError: (error) => incoming.failed(error),
  };
}

function addressOf(origin: string): { readonly host: string; readonly port: number } {
  const { hostname, port } = new URL(origin);
  return { host: hostname.replace(/^\[|\]$/g, ""), port: Number(port === "" ? "443" : port) };
}

async function upgrade(
  { method, target, headers }: Outgoing,
  connection: RequestOptions & ConnectionOptions,
): Promise<Upgraded | IncomingMessage> {
  return await new Promise((resolve, reject) => {
    const options = { ...connection, method, path: target, agent: false, timeout: CONNECT_TIMEOUT_MS };
    const outgoing = httpsRequest({ ...options, headers: headers as unknown as RequestOptions["headers"] });
    outgoing.once("upgrade", (answer, socket, begun) => resolve({ answer, socket, begun }));
    outgoing.once("response", resolve);
    outgoing.once("error", reject);
    // The limit is for the handshake: what is asked for may take its time.
    outgoing.once("socket", (socket) => socket.once("secureConnect", () => outgoing.setTimeout(0)));
    outgoing.once("timeout", () =>
      outgoing.destroy(new Fault("timeout", "the server behind did not take a connection")),
    );
    outgoing.end();
  });
}
