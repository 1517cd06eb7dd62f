// A bare HTTPS server that says what a test tells it to, byte by byte: for framing, broken connections and garbage,
// which an honest API server cannot be made to send.

import type { IncomingMessage, ServerResponse } from "node:http";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { setImmediate as nextTurn } from "node:timers/promises";
import type { TLSSocket } from "node:tls";
import { aTestCa, type TestCa } from "../builders/tls-pair.ts";

export type Handler = (request: IncomingMessage, response: ServerResponse) => void;

export interface TestServer {
  readonly url: string;
  readonly ca: TestCa;
  /** Replaces what the server says from now on. */
  handle(handler: Handler): void;
  /** Open connections. */
  connections(): number;
  /** Resolves when that many connections are open. */
  untilConnections(count: number): Promise<void>;
  /** Breaks every connection as a crash would. */
  dropAll(): void;
  close(): Promise<void>;
}

export async function startTestServer(handler: Handler, ca?: TestCa): Promise<TestServer> {
  const authority = ca ?? aTestCa();
  const { certPem, keyPem } = authority.issueServing();
  const sockets = new Set<TLSSocket>();
  let current = handler;
  const server = createServer(
    { cert: certPem, key: keyPem, ca: authority.certPem, requestCert: true, rejectUnauthorized: false },
    (request, response) => current(request, response),
  );
  server.on("secureConnection", (socket: TLSSocket) => {
    sockets.add(socket);
    socket.on("error", () => socket.destroy());
    socket.once("close", () => sockets.delete(socket));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const dropAll = () => {
    for (const socket of sockets) socket.destroy();
  };
  return {
    url: `https://127.0.0.1:${(server.address() as AddressInfo).port}`,
    ca: authority,
    handle: (next) => {
      current = next;
    },
    connections: () => sockets.size,
    untilConnections: async (count) => {
      while (sockets.size !== count) await nextTurn();
    },
    dropAll,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        dropAll();
      }),
  };
}

export function answerJson(response: ServerResponse, status: number, value: unknown): void {
  response.writeHead(status, { "content-type": "application/json" });
  response.end(JSON.stringify(value));
}

/** The client certificate's name, or undefined. */
export function peerName(request: IncomingMessage): string | undefined {
  const name = (request.socket as TLSSocket).getPeerCertificate().subject?.CN;
  return Array.isArray(name) ? name[0] : name;
}
