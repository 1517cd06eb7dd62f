// What a process says about itself over HTTP: /metrics for Prometheus, /livez (is it alive), /healthz (is it well),
// /readyz (does it do its work), each check on a line of its own with `?verbose` or when one fails, as Kubernetes' own
// servers answer. Nothing secret: numbers, names of checks, and who leads.

import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { Fault } from "../../kernel/outcome/index.ts";
import { METRICS_TYPE, type Metrics } from "./metrics.ts";

export interface CheckResult {
  readonly ok: boolean;
  /** One line, for people: what is missing, or in which state it is fine. */
  readonly says: string;
}

export interface Check {
  readonly name: string;
  look(): CheckResult;
}

interface StatusServerOptions {
  readonly host: string;
  /** 0 picks a free port. */
  readonly port: number;
  readonly metrics: Pick<Metrics, "expose">;
  /** What /healthz looks at; left out, it says no more than that the process is alive. */
  readonly healthy?: readonly Check[] | undefined;
  readonly ready: readonly Check[];
  /** A server that speaks TLS, made with STATUS_LIMITS. Left out: plain HTTP. */
  readonly server?: Server | undefined;
}

export interface StatusServer {
  readonly port: number;
  close(): Promise<void>;
}

/** A probe is a line; a longer or slow request is no probe. */
export const STATUS_LIMITS = { maxHeaderSize: 8 * 1024, requestTimeout: 5_000, headersTimeout: 5_000 };
/** Two probes and a scraper; more are not expected. */
const MAX_CONNECTIONS = 64;

export async function startStatusServer(options: StatusServerOptions): Promise<StatusServer> {
  const { server = createServer(STATUS_LIMITS) } = options;
  server.on("request", (request, response) => answer(options, request, response));
  server.maxConnections = MAX_CONNECTIONS;
  const port = await listen(server, options);
  return {
    port,
    close: async () => {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      server.closeAllConnections();
      await closed;
    },
  };
}

function answer(
  { metrics, healthy = [], ready }: StatusServerOptions,
  request: IncomingMessage,
  response: ServerResponse,
) {
  // Not by the URL parser, which throws at a path such as `//`, which any client may send.
  const [pathname = "", query = ""] = (request.url ?? "").split("?", 2);
  const checks = { "/healthz": healthy, "/livez": [], "/readyz": ready }[pathname];
  if (request.method !== "GET" && request.method !== "HEAD") return send(response, 405, "GET only\n");
  if (pathname === "/metrics") return send(response, 200, metrics.expose(), METRICS_TYPE);
  if (checks === undefined) return send(response, 404, "there are /metrics, /livez, /healthz and /readyz\n");
  const results = checks.map((check) => ({ name: check.name, ...check.look() }));
  const isOk = results.every(({ ok }) => ok);
  const lines = results.map(({ name, ok, says }) => `[${ok ? "+" : "-"}]${name} ${says}\n`).join("");
  const isVerbose = new URLSearchParams(query).has("verbose") || !isOk;
  send(response, isOk ? 200 : 503, isVerbose ? `${lines}${pathname.slice(1)} ${isOk ? "ok" : "failed"}\n` : "ok");
}

function send(response: ServerResponse, status: number, text: string, type = "text/plain; charset=utf-8"): void {
  response.writeHead(status, {
    "content-type": type,
    "x-content-type-options": "nosniff",
    "cache-control": "no-store",
  });
  response.end(text);
}

async function listen(server: Server, { host, port }: StatusServerOptions): Promise<number> {
  try {
    await new Promise<void>((resolve, reject) => {
      server.once("error", reject);
      server.listen(port, host, resolve);
    });
  } catch (cause) {
    throw new Fault("io-failed", `cannot listen on ${host}:${port} for metrics and probes`, { cause });
  }
  return (server.address() as AddressInfo).port;
}
