// Requests and streams to one API server: bytes out, bytes in, with limits on their number and their time. What the
// bytes mean is create-client's business, which connections they take is generations'.

import type { Dispatcher } from "undici";
import { Fault } from "../../../kernel/outcome/index.ts";
import type { Connection } from "../connection/credentials.ts";
import { faultFromConnection } from "./connection-faults.ts";
import { type Deadline, startDeadline } from "./deadline.ts";
import { type Answer, exchange } from "./exchange.ts";
import { createGenerations, type Generation } from "./generations.ts";

export type { Answer } from "./exchange.ts";

/** A page of 500 objects of 100 KB each fits twice; a server that sends more is not listing what we asked for. */
const RESPONSE_MAX_BYTES = 128 * 1024 * 1024;

/** A watch is answered with its headers at once; only its events may take their time. */
const WATCH_HEADERS_TIMEOUT_MS = 30_000;

const USER_AGENT = "countersign";

export interface KubeRequest {
  readonly method: string;
  /** With the query. */
  readonly path: string;
  readonly body?: string | undefined;
  readonly contentType?: string | undefined;
  readonly signal?: AbortSignal | undefined;
  /** See CallOptions. Of calls only: a stream changes nothing. */
  readonly beforeSend?: (() => void) | undefined;
}

export interface Transport {
  /** The whole answer, whatever its status. */
  call(request: KubeRequest, timeoutMs: number): Promise<Answer>;
  /**
   * The body piece by piece when the status is 200, else the whole answer. It ends when the server or a rotation ends
   * it; one that outlives `lifetimeMs` is dead without knowing it and fails with `timeout`.
   */
  stream(request: KubeRequest, lifetimeMs?: number): Promise<Answer | AsyncIterable<Uint8Array>>;
  close(): Promise<void>;
}

interface TransportOptions {
  /** For tests; see RESPONSE_MAX_BYTES. */
  readonly maxResponseBytes?: number | undefined;
}

export function createTransport(connection: Connection, options: TransportOptions = {}): Transport {
  const { maxResponseBytes = RESPONSE_MAX_BYTES } = options;
  const { origin, basePath } = parseServer(connection.server);
  const generations = createGenerations(connection, origin);

  async function call(request: KubeRequest, timeoutMs: number): Promise<Answer> {
    const deadline = startDeadline(`${request.method} ${request.path}`, timeoutMs, request.signal);
    try {
      const answer = await callOnce(request, deadline);
      // Refused before anything was done: with another credential, once more.
      const isRenewable = answer.status === 401 && (await generations.renew());
      return isRenewable ? await callOnce(request, deadline) : answer;
    } catch (cause) {
      throw faultFromConnection(cause, origin);
    } finally {
      deadline.clear();
    }
  }

  async function callOnce(request: KubeRequest, deadline: Deadline): Promise<Answer> {
    const { generation, token } = await generations.current();
    const { beforeSend } = request;
    const limits = { deadline, maxBytes: maxResponseBytes, beforeSend };
    return await exchange(generation.calls, onWire(request, { basePath, token }), limits);
  }

  async function stream(request: KubeRequest, lifetimeMs?: number): Promise<Answer | AsyncIterable<Uint8Array>> {
    const deadline = startDeadline(`${request.method} ${request.path}`, WATCH_HEADERS_TIMEOUT_MS, request.signal);
    let leave = () => deadline.clear();
    try {
      const { generation, token } = await generations.current();
      const client = generation.watches.open();
      leave = () => {
        deadline.clear();
        generation.watches.leave(client);
      };
      const response = await client.request({ ...onWire(request, { basePath, token }), signal: deadline.signal });
      if (response.statusCode === 200) {
        deadline.extend(lifetimeMs);
        return readPieces(response, { origin, generation, leave });
      }
      const answer = await readAnswer(response, maxResponseBytes);
      leave();
      return answer;
    } catch (cause) {
      leave();
      throw faultFromConnection(cause, origin);
    }
  }

  return { call, stream, close: generations.close };
}

interface Envelope {
  readonly basePath: string;
  readonly token: string | undefined;
}

function onWire(request: KubeRequest, { basePath, token }: Envelope): Dispatcher.DispatchOptions {
  return {
    method: request.method,
    path: basePath + request.path,
    headers: {
      accept: "application/json",
      "user-agent": USER_AGENT,
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
      ...(request.body === undefined ? {} : { "content-type": request.contentType ?? "application/json" }),
    },
    body: request.body ?? null,
    // Else undici gives up the connection after a DELETE that has a body, as ours do.
    reset: false,
    // Both limits are the deadline's.
    headersTimeout: 0,
    bodyTimeout: 0,
  };
}

interface OpenStream {
  readonly origin: string;
  readonly generation: Generation;
  readonly leave: () => void;
}

async function* readPieces(response: Dispatcher.ResponseData, { origin, generation, leave }: OpenStream) {
  try {
    // Leaving the loop early destroys the body, and with it the connection.
    for await (const piece of response.body) yield piece as Uint8Array;
  } catch (cause) {
    if (!generation.retired) throw faultFromConnection(cause, origin);
  } finally {
    leave();
  }
}

async function readAnswer(response: Dispatcher.ResponseData, maxBytes: number): Promise<Answer> {
  const pieces: Buffer[] = [];
  let length = 0;
  for await (const piece of response.body) {
    pieces.push(piece as Buffer);
    length += (piece as Buffer).length;
    if (length > maxBytes) {
      throw new Fault("limit-exceeded", `the server's answer is longer than ${maxBytes} bytes`);
    }
  }
  const retryAfter = response.headers["retry-after"];
  return {
    status: response.statusCode,
    retryAfter: typeof retryAfter === "string" ? retryAfter : undefined,
    body: Buffer.concat(pieces, length),
  };
}

function parseServer(server: string): { origin: string; basePath: string } {
  const url = URL.canParse(server) ? new URL(server) : undefined;
  if (url?.protocol !== "https:") {
    throw new Fault("bad-config", `server ${JSON.stringify(server)} is not an https URL`);
  }
  return { origin: url.origin, basePath: url.pathname.replace(/\/+$/, "") };
}
