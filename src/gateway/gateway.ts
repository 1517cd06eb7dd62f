// The gateway: an HTTPS server in front of a real kube-apiserver. Every request is gathered, judged and forwarded;
// every answer comes back through it, those to a discovery JWT signed. It opens one port for that, and a second one for
// the webhook if asked.

import type { IncomingMessage, ServerResponse } from "node:http";
import type { Duplex } from "node:stream";
import { assert } from "../kernel/outcome/index.ts";
import type { Clock } from "../platform/clock/index.ts";
import {
  createTlsServer,
  type ListenAddress,
  type Listener,
  listen,
  startListener,
  useCertificate,
} from "../platform/http/index.ts";
import type { Log, Metrics } from "../platform/report/index.ts";
import { codeOf, refusalAnswer, sendRefusal } from "./answers.ts";
import { forward } from "./forward.ts";
import { createGatherer } from "./gather.ts";
import { rewriteHeaders } from "./headers.ts";
import { judgeRequest, type Route } from "./judge.ts";
import type { Material } from "./material.ts";
import { createMeter, type Meter } from "./meter.ts";
import { createOpenRequests, type OpenRequests } from "./open-requests.ts";
import { createReviewHandler } from "./review.ts";
import type { Tokens } from "./tokens.ts";
import { refuseUpgrade, runUpgrade } from "./upgrade.ts";
import { type Backend, closeUpstreams, openUpstreams, retireUpstreams, type Upstreams } from "./upstreams.ts";

interface GatewayOptions {
  readonly address: ListenAddress;
  readonly backend: Backend;
  readonly material: Material;
  readonly tokens: Pick<Tokens, "find" | "clusterId">;
  readonly clock: Clock;
  readonly log: Log;
  readonly metrics: Metrics;
  /** Where the TokenReview webhook listens. Left out: nowhere. */
  readonly webhook?: ListenAddress | undefined;
}

export interface Gateway {
  readonly port: number;
  readonly webhookPort: number | undefined;
  /**
   * From the next handshake and the next request on. Fault `bad-config`, and everything as it was, when it cannot be
   * used.
   */
  use(material: Material): Promise<void>;
  /** Takes no new requests, ends watches and upgraded connections, lets the others finish for a while, then cuts. */
  close(): Promise<void>;
}

interface State {
  material: Material;
  upstreams: Upstreams;
}

export async function startGateway(options: GatewayOptions): Promise<Gateway> {
  const { backend, clock, tokens } = options;
  const state: State = { material: options.material, upstreams: await openUpstreams(backend, options.material) };
  const open = createOpenRequests();
  const meter = createMeter(options.metrics, open.count);
  const gather = createGatherer({ clock, tokens, clientRoots: () => state.material.clientRoots });
  const serving: Serving = { state, open, meter, log: options.log, identityHeaders: backend.identityHeaders };
  const server = createTlsServer(state.material.serving, (message, response) =>
    serve({ message, response, route: judgeRequest(gather(message)) }, serving),
  );
  server.on("upgrade", (message: IncomingMessage, socket: Duplex, begun: Buffer) =>
    serveUpgrade({ message, socket, begun, route: judgeRequest(gather(message)) }, serving),
  );
  const webhook = await startWebhook(options, () => state.material);
  const { port } = await listen(server, options.address);
  return {
    port,
    webhookPort: webhook?.port,
    use: async (material) => {
      const upstreams = await openUpstreams(backend, material);
      useCertificate(server, material.serving);
      webhook?.useCertificate(material.serving);
      retireUpstreams(state.upstreams);
      Object.assign(state, { material, upstreams });
      meter.reloaded();
    },
    close: async () => {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      await Promise.all([open.end(() => server.closeIdleConnections()), webhook?.close()]);
      server.closeAllConnections();
      await Promise.all([closed, closeUpstreams(state.upstreams)]);
    },
  };
}

async function startWebhook(options: GatewayOptions, material: () => Material): Promise<Listener | undefined> {
  const { webhook, clock, tokens } = options;
  if (webhook === undefined) return undefined;
  const callers = () => material().webhookCallers ?? [];
  const handler = createReviewHandler({ clock, tokens, callers });
  return await startListener({ ...webhook, servingCertificate: material().serving, handler });
}

interface Serving {
  readonly state: State;
  readonly identityHeaders: Backend["identityHeaders"];
  readonly open: OpenRequests;
  readonly meter: Meter;
  readonly log: Log;
}

interface Exchange {
  readonly message: IncomingMessage;
  readonly response: ServerResponse;
  readonly route: Route;
}

function serve({ message, response, route }: Exchange, serving: Serving): void {
  const { open, meter } = serving;
  open.add(message, response);
  response.once("close", () => {
    open.remove(response);
    meter.answered(route.identity, response.statusCode);
  });
  if (open.isEnding()) response.shouldKeepAlive = false;
  if (route.kind === "refuse") {
    noteRefusal(serving.log, route);
    sendRefusal(response, route);
    return;
  }
  const way = wayOf(message, route, serving);
  forward(message, response, { ...way, onFailure: noteFailure(serving) });
}

interface UpgradeExchange {
  readonly message: IncomingMessage;
  readonly socket: Duplex;
  readonly begun: Buffer;
  readonly route: Route;
}

function serveUpgrade({ route, ...request }: UpgradeExchange, serving: Serving): void {
  const { open, meter, log } = serving;
  const { socket } = request;
  // A peer that breaks off is no accident; the reader of the socket is told.
  socket.on("error", () => socket.destroy());
  if (route.kind === "refuse") {
    noteRefusal(log, route);
    meter.answered(route.identity, route.status);
    refuseUpgrade(socket, refusalAnswer(route));
    return;
  }
  const { upstream, headers } = wayOf(request.message, route, serving);
  open.addSocket(socket);
  meter.upgraded(1);
  void runUpgrade(request, { upstream, headers, onFailure: noteFailure(serving) }).then(() => {
    open.removeSocket(socket);
    meter.upgraded(-1);
  });
}

function wayOf(message: IncomingMessage, route: Exclude<Route, { kind: "refuse" }>, serving: Serving) {
  const { plain, trusted } = serving.state.upstreams;
  const { rawHeaders, socket } = message;
  const common = { remoteAddress: socket.remoteAddress ?? "", identityHeaders: serving.identityHeaders };
  if (route.kind === "pass") return { upstream: plain, headers: rewriteHeaders(rawHeaders, common) };
  const { replyKey, user } = route;
  const isSigned = replyKey !== undefined;
  if (trusted !== undefined) {
    return { upstream: trusted, headers: rewriteHeaders(rawHeaders, { ...common, user, isSigned }), replyKey };
  }
  // Without a certificate to speak with, the JWT itself goes on, to an API server that asks the webhook about it.
  assert(isSigned, "client certificates are believed only where they can be vouched for");
  return { upstream: plain, headers: rewriteHeaders(rawHeaders, { ...common, isSigned }), replyKey };
}

function noteRefusal(log: Log, { identity, status, message }: Extract<Route, { kind: "refuse" }>): void {
  log.info("request refused", { identity, status, reason: message });
}

function noteFailure({ meter, log }: Serving): (error: Error) => void {
  return (error) => {
    meter.backendFailed(codeOf(error));
    log.warn("the API server behind did not answer", { error });
  };
}
