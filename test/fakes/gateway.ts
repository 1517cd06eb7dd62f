// A gateway before a server that says what it was asked: what passes, what is added and what is taken away can be seen.

import type { IncomingMessage, ServerResponse } from "node:http";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import type { Duplex } from "node:stream";
import type { TLSSocket } from "node:tls";
import type { BootstrapToken } from "../../src/api/bootstrap/index.ts";
import { type Gateway, startGateway } from "../../src/gateway/gateway.ts";
import type { Material } from "../../src/gateway/material.ts";
import { parsePem } from "../../src/kernel/pem/index.ts";
import { type Certificate, parseCertificate } from "../../src/kernel/x509/index.ts";
import { systemClock } from "../../src/platform/clock/index.ts";
import { createMetrics, type Metrics, silentLog } from "../../src/platform/report/index.ts";
import { aTestCa, type TestCa } from "../builders/tls-pair.ts";
import type { ApiEndpoint } from "./api-client.ts";

/** What the server behind saw of a request. */
export interface Seen {
  readonly method: string;
  readonly url: string;
  readonly rawHeaders: readonly string[];
  /** The name in the certificate of the connection. */
  readonly peer: string | undefined;
  readonly body: string;
}

export type Behind = (seen: Seen, response: ServerResponse, message: IncomingMessage) => void;

export interface TestGateway extends ApiEndpoint {
  readonly gateway: Gateway;
  readonly metrics: Metrics;
  readonly material: Material;
  /** Signs clients that the gateway believes. */
  readonly clientCa: TestCa;
  readonly seen: Seen[];
  /** Replaces what the server behind answers. */
  answer(behind: Behind): void;
  /** Ends the server behind, as a crash would. */
  endBackend(): Promise<void>;
  close(): Promise<void>;
}

export interface TestGatewayOptions {
  readonly tokens?: readonly BootstrapToken[];
  /** Changes what the gateway is started with. */
  readonly material?: Partial<Material>;
  readonly webhook?: boolean;
  readonly identityHeaders?: readonly string[];
}

export const CLUSTER_ID = "8e0e4d1b-3f6d-4f7b-9f0e-5f2c3c1f9a10";

export function rootsOf(pem: string): readonly Certificate[] {
  return parsePem(pem).map((block) => parseCertificate(block.bytes));
}

export async function startTestGateway(options: TestGatewayOptions = {}): Promise<TestGateway> {
  const { tokens = [] } = options;
  const [ca, clientCa, frontCa] = [aTestCa("serving"), aTestCa("clients"), aTestCa("front-proxy")];
  const behind = await startBackend(ca);
  const material: Material = {
    serving: ca.issueServing(),
    backendCaPem: ca.certPem,
    clientRoots: rootsOf(clientCa.certPem),
    frontProxy: frontCa.issueClient("front-proxy-client"),
    webhookCallers: rootsOf(clientCa.certPem),
    ...options.material,
  };
  const metrics = createMetrics();
  const gateway = await startGateway({
    address: { host: "127.0.0.1", port: 0 },
    backend: { origin: `https://127.0.0.1:${behind.port}`, identityHeaders: options.identityHeaders },
    material,
    tokens: { find: (id) => tokens.find((token) => token.id === id), clusterId: () => CLUSTER_ID },
    clock: systemClock,
    log: silentLog,
    metrics,
    webhook: options.webhook === true ? { host: "127.0.0.1", port: 0 } : undefined,
  });
  const admin = clientCa.issueClient("admin", ["system:masters"]);
  return {
    ...{ gateway, metrics, material, clientCa, port: gateway.port, caPem: ca.certPem },
    ...{ adminCertPem: admin.certPem, adminKeyPem: admin.keyPem },
    seen: behind.seen,
    answer: behind.answer,
    endBackend: behind.close,
    close: async () => {
      await gateway.close();
      await behind.close();
    },
  };
}

async function startBackend(ca: TestCa) {
  const { certPem, keyPem } = ca.issueServing();
  const seen: Seen[] = [];
  const sockets = new Set<Duplex>();
  let behind: Behind = (what, response) => response.end(JSON.stringify(what));
  const tls = { cert: certPem, key: keyPem, requestCert: true, rejectUnauthorized: false, allowHalfOpen: true };
  const server = createServer(tls, async (message, response) => {
    const pieces = await message.toArray().catch(() => undefined);
    if (pieces === undefined) return; // broken off in the middle: nobody is left to be answered
    const what = { ...describe(message), body: Buffer.concat(pieces).toString() };
    seen.push(what);
    behind(what, response, message);
  });
  server.on("upgrade", (message: IncomingMessage, socket: Duplex, begun: Buffer) => {
    seen.push({ ...describe(message), body: "" });
    if (message.url === "/refuse") {
      socket.write("HTTP/1.1 403 Forbidden\r\nContent-Length: 2\r\n\r\nno");
      return;
    }
    socket.write("HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: echo/1\r\nX-Own: yes\r\n\r\n");
    socket.on("data", (bytes: Buffer) => socket.write(`echo:${bytes}`));
    if (begun.length > 0) socket.write(`echo:${begun}`);
    socket.on("error", () => socket.destroy());
    socket.on("end", () => socket.end("bye"));
  });
  server.on("connection", (socket: Duplex) => {
    sockets.add(socket);
    socket.once("close", () => sockets.delete(socket));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    port: (server.address() as AddressInfo).port,
    seen,
    answer: (next: Behind) => {
      behind = next;
    },
    close: () =>
      new Promise<void>((resolve) => {
        if (!server.listening) resolve();
        server.close(() => resolve());
        for (const socket of sockets) socket.destroy();
      }),
  };
}

function describe(message: IncomingMessage) {
  const name = (message.socket as TLSSocket).getPeerCertificate().subject?.CN;
  return {
    method: message.method ?? "",
    url: message.url ?? "",
    rawHeaders: message.rawHeaders,
    peer: Array.isArray(name) ? name[0] : name,
  };
}

/** The values of one header, in the order on the wire. */
export function valuesOf({ rawHeaders }: Pick<Seen, "rawHeaders">, name: string): readonly string[] {
  return rawHeaders.flatMap((text, at) =>
    at % 2 === 0 && text.toLowerCase() === name ? [rawHeaders[at + 1] ?? ""] : [],
  );
}
