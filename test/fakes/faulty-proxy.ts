// A proxy in front of an API server that does what networks and servers do on a bad day: 429, 500 (before or after the
// request took effect), 409 out of nowhere, slow answers, watches that end in the middle, and times in which nobody is
// there. What it does is drawn from a seed, so that a bad day can be had again.

import type { IncomingMessage, ServerResponse } from "node:http";
import { createServer, request } from "node:https";
import type { AddressInfo } from "node:net";
import type { Duplex } from "node:stream";
import { setTimeout as sleep } from "node:timers/promises";

export interface FaultyProxyOptions {
  /** `https://127.0.0.1:port` */
  readonly upstream: string;
  readonly upstreamCaPem: string;
  /** What the proxy serves with; clients must trust it. */
  readonly serving: { readonly certPem: string; readonly keyPem: string };
  readonly seed: number;
  /** How likely each fault is for a request. */
  readonly odds: Readonly<Record<Fault, number>>;
}

export type Fault = "429" | "500 before" | "500 after" | "409" | "slow" | "dropped watch";

export interface FaultyProxy {
  readonly url: string;
  /** How often each fault was done to somebody. */
  readonly done: Readonly<Record<string, number>>;
  /** Ends every connection and refuses new ones for this long. */
  outage(ms: number): Promise<void>;
  /** From now on it is a good day. */
  heal(): void;
  close(): Promise<void>;
}

const SLOW_MS = 2_000;
const WATCH_LIFE_MS = 3_000;

export async function startFaultyProxy(options: FaultyProxyOptions): Promise<FaultyProxy> {
  const done: Record<string, number> = {};
  const sockets = new Set<Duplex>();
  const random = createRandom(options.seed);
  let isOut = false;
  let isHealed = false;
  const draw = (fault: Fault): boolean => {
    if (isHealed || random() >= options.odds[fault]) return false;
    done[fault] = (done[fault] ?? 0) + 1;
    return true;
  };
  const { certPem: cert, keyPem: key } = options.serving;
  const server = createServer({ cert, key }, (incoming, response) => {
    void handle(options, { incoming, response, draw, random });
  });
  server.on("connection", (socket) => {
    if (isOut) {
      socket.destroy();
      return;
    }
    sockets.add(socket);
    socket.on("close", () => sockets.delete(socket));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `https://127.0.0.1:${(server.address() as AddressInfo).port}`,
    done,
    outage: async (ms) => {
      isOut = true;
      for (const socket of sockets) socket.destroy();
      await sleep(ms);
      isOut = false;
    },
    heal: () => {
      isHealed = true;
    },
    close: async () => {
      for (const socket of sockets) socket.destroy();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}

interface Exchange {
  readonly incoming: IncomingMessage;
  readonly response: ServerResponse;
  readonly draw: (fault: Fault) => boolean;
  readonly random: () => number;
}

async function handle(options: FaultyProxyOptions, exchange: Exchange): Promise<void> {
  const { incoming, response, draw, random } = exchange;
  const body = await readBody(incoming);
  if (body === undefined) return;
  if (draw("slow")) await sleep(random() * SLOW_MS);
  if (draw("429")) return refuse(response, 429, "TooManyRequests", { "retry-after": "1" });
  if (draw("500 before")) return refuse(response, 500, "InternalError");
  if (incoming.method === "PUT" && draw("409")) return refuse(response, 409, "Conflict");
  const isWatch = incoming.url?.includes("watch=true") === true;
  const outgoing = request(
    new URL(incoming.url ?? "/", options.upstream),
    { method: incoming.method, headers: incoming.headers, ca: options.upstreamCaPem },
    (answer) => {
      if (!isWatch && draw("500 after")) {
        answer.resume();
        refuse(response, 500, "InternalError");
        return;
      }
      response.writeHead(answer.statusCode ?? 500, answer.headers);
      answer.pipe(response);
      if (isWatch && draw("dropped watch")) setTimeout(() => response.destroy(), random() * WATCH_LIFE_MS).unref();
    },
  );
  outgoing.on("error", () => response.destroy());
  response.on("close", () => outgoing.destroy());
  outgoing.end(body);
}

async function readBody(incoming: IncomingMessage): Promise<Buffer | undefined> {
  try {
    return Buffer.concat(await incoming.toArray());
  } catch {
    return undefined; // the client went away, or we had an outage
  }
}

function refuse(response: ServerResponse, code: number, reason: string, headers: Record<string, string> = {}): void {
  const body = { kind: "Status", apiVersion: "v1", status: "Failure", reason, code, message: `a bad day: ${reason}` };
  response.writeHead(code, { "content-type": "application/json", ...headers });
  response.end(JSON.stringify(body));
}

/** mulberry32: small, and the same everywhere. */
function createRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
