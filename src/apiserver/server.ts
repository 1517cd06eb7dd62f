// The embedded API server: storage, clock and keys come in, an HTTPS endpoint that Kubernetes clients talk to comes
// out.

import type { KubeObject } from "../api/meta/index.ts";
import { assert } from "../kernel/outcome/index.ts";
import {
  CONNECTION_LIMITS,
  dialableAddress,
  type HttpAnswer,
  type HttpRequest,
  headerValue,
  isWhole,
  type Listener,
  startListener,
} from "../platform/http/index.ts";
import { randomBytes } from "../platform/keys/index.ts";
import { type Assembled, assemble } from "./assemble.ts";
import type { Call } from "./call.ts";
import { runChain } from "./chain.ts";
import { startLoops } from "./controllers/index.ts";
import { newCall } from "./new-call.ts";
import type { ApiServerOptions } from "./options.ts";
import { publishEndpoints } from "./own-endpoints.ts";
import { prepareStorage, stamped } from "./prepare.ts";
import { createRandomPool, randomUid } from "./random.ts";

export interface ApiServer {
  readonly url: string;
  readonly port: number;
  /**
   * From the next request on, client certificates are verified by these CA bundles. Fault `bad-config`, and no change,
   * when one of them cannot be read.
   */
  useClientCa(bundles: readonly string[]): void;
  /**
   * First /readyz fails, so that load balancers send nothing new; then requests are drained, watches and connections
   * ended. Storage stays open: it belongs to the caller.
   */
  close(): Promise<void>;
}

export async function startApiServer(options: ApiServerOptions): Promise<ApiServer> {
  const { storage, clock, random = createRandomPool(randomBytes), shutdownDelayMs = 0 } = options;
  await prepareStorage({ storage, clock, random });
  let url = "";
  const { parts, health, clientCa, close } = assemble({ ...options, random }, () => url);
  const listener = await startListener({
    host: options.host,
    port: options.port,
    servingCertificate: options.servingCertificate,
    connections: {
      ...CONNECTION_LIMITS,
      ...(options.connectionsPerAddress === undefined ? {} : { perAddress: options.connectionsPerAddress }),
      onRefused: options.onRefusedConnection,
    },
    handler: (request) => handle(request, parts),
  });
  url = urlOf(listener);
  const reached = options.advertiseAddress ?? dialableAddress(listener.host);
  const address = options.controllers === undefined ? undefined : reached;
  if (address !== undefined) {
    const asNew = (object: KubeObject) => stamped(object, { storage, clock, random });
    await publishEndpoints({ address, port: listener.port }, { storage, asNew });
  }
  const loops = startLoops({ parts, choices: options.controllers, onTrouble: options.onLoopTrouble });
  return {
    url,
    port: listener.port,
    useClientCa: clientCa.use,
    close: async () => {
      health.shutDown();
      if (shutdownDelayMs > 0) await clock.sleep(shutdownDelayMs);
      await listener.close();
      await loops.stop();
      close();
    },
  };
}

function urlOf({ host, port }: Listener): string {
  return `https://${host.includes(":") ? `[${host}]` : host}:${port}`;
}

/** Longest audit id accepted from a client. */
const MAX_AUDIT_ID = 64;

async function handle(request: HttpRequest, parts: Assembled["parts"]): Promise<HttpAnswer> {
  const receivedMs = parts.clock.now();
  const call = newCall(request, { receivedMs, auditId: auditIdOf(request) ?? randomUid(parts) });
  const answer = await runChain(call, parts);
  assert(answer.kind === "sent", "the outermost stage answers in HTTP");
  return measured(call, answer.http, parts);
}

/** Counted when the answer is known; a watch goes on until its reader or this server ends it. */
function measured(call: Call, http: HttpAnswer, parts: Assembled["parts"]): HttpAnswer {
  parts.meter.answered(call, { status: http.status, durationMs: parts.clock.now() - call.receivedMs });
  if (call.info.verb !== "watch" || isWhole(http.body)) return http;
  const over = parts.meter.watching(call);
  call.request.signal.addEventListener("abort", over, { once: true });
  return http;
}

/** The id goes back in a header and into logs, so it may hold no character with a meaning there. */
function auditIdOf({ headers }: HttpRequest): string | undefined {
  const id = headerValue(headers, "audit-id");
  return id !== undefined && id.length <= MAX_AUDIT_ID && /^[\w.:-]+$/.test(id) ? id : undefined;
}
