// What the daemon answers to probes and to Prometheus: /livez (it runs), /healthz and /readyz (there is a valid certificate),
// /metrics. Nothing secret: no key, no certificate. On loopback plain HTTP; else with the node's serving certificate.

import { createServer as createPlainServer, type RequestListener, type Server } from "node:http";
import { createServer as createTlsServer } from "node:https";
import type { AddressInfo } from "node:net";
import { Fault } from "../../kernel/outcome/index.ts";
import { METRICS_TYPE } from "../../platform/report/index.ts";
import { type CertificateManager, hotSwapServer } from "../certificates/index.ts";
import type { StatusOptions } from "./options.ts";

/** A scrape is one line and a few headers. */
const LIMITS = { maxHeaderSize: 8_192, headersTimeout: 10_000, requestTimeout: 10_000 };

export interface StatusSources {
  /** What is wrong; empty when all is well. */
  readonly troubles: () => readonly string[];
  readonly metrics: () => string;
  readonly serving: CertificateManager | undefined;
}

export interface StatusServer {
  readonly port: number;
  close(): Promise<void>;
}

export async function startStatusServer(options: StatusOptions, sources: StatusSources): Promise<StatusServer> {
  const { server, leave } = createServer(options, sources);
  await new Promise<void>((resolve, reject) => {
    server.once("error", (cause) => {
      reject(new Fault("io-failed", `cannot listen on ${options.host}:${options.port}: ${cause.message}`, { cause }));
    });
    server.listen(options.port, options.host, resolve);
  });
  return {
    port: (server.address() as AddressInfo).port,
    close: async () => {
      leave();
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      server.closeAllConnections();
      await closed;
    },
  };
}

function createServer({ tls }: StatusOptions, sources: StatusSources): { server: Server; leave: () => void } {
  const answer = createAnswer(sources);
  if (!tls) return { server: createPlainServer(LIMITS, answer), leave: () => undefined };
  if (sources.serving === undefined) {
    throw new Fault("bad-config", "the status address can have TLS only together with a serving certificate");
  }
  const server = createTlsServer(LIMITS, answer);
  return { server, leave: hotSwapServer(server, sources.serving) };
}

function createAnswer({ troubles, metrics }: StatusSources): RequestListener {
  const health = () => {
    const found = troubles();
    return { status: found.length === 0 ? 200 : 503, type: "text/plain", body: `${found.join("\n") || "ok"}\n` };
  };
  const pages: Readonly<Record<string, () => { status: number; type: string; body: string }>> = {
    "/livez": () => ({ status: 200, type: "text/plain", body: "ok\n" }),
    "/healthz": health,
    "/readyz": health,
    "/metrics": () => ({ status: 200, type: METRICS_TYPE, body: metrics() }),
  };
  return (request, response) => {
    const [path = ""] = (request.url ?? "").split("?");
    const page = request.method === "GET" || request.method === "HEAD" ? pages[path] : undefined;
    const { status, type, body } = page?.() ?? {
      status: 404,
      type: "text/plain",
      body: `see ${Object.keys(pages).join(" ")}\n`,
    };
    response.writeHead(status, { "content-type": type, "content-length": Buffer.byteLength(body) });
    response.end(request.method === "HEAD" ? undefined : body);
  };
}
