// How a client of undici comes to its connections: directly, or through the proxy that the environment names, with the
// same TLS and the same trust in either case.

import { isIP } from "node:net";
import { connect, type SecureContext, type TLSSocket } from "node:tls";
import { Fault } from "../../kernel/outcome/index.ts";
import { onAbort, reasonOf } from "../signals/index.ts";
import { type Environment, proxyFor } from "./proxy-choice.ts";
import { KEEP_ALIVE_DELAY_MS, openTunnel } from "./tunnel.ts";

interface ConnectionOptions {
  readonly timeoutMs: number;
  readonly tls: TlsOptions;
  readonly env: Environment;
  /** Of a kubeconfig: counts more than the environment. */
  readonly proxyUrl?: string | undefined;
  /** Ends a connection that is still being made; undici's own end only those that are. */
  readonly signal?: AbortSignal | undefined;
}

interface TlsOptions {
  readonly secureContext: SecureContext;
  readonly rejectUnauthorized: boolean;
  readonly servername?: string;
}

type Callback = (...result: [Error, null] | [null, TLSSocket]) => void;
type Connector = (target: { readonly hostname: string; readonly port: string }, callback: Callback) => void;

/** As undici takes it for `connect`. */
export function connectionTo(
  origin: string,
  options: ConnectionOptions,
): (TlsOptions & { readonly timeout: number }) | Connector {
  const proxy = proxyFor(new URL(origin), options.env, options.proxyUrl);
  if (proxy === undefined && options.signal === undefined) return { timeout: options.timeoutMs, ...options.tls };
  return ({ hostname, port }, callback) => {
    const target = { host: hostname.replace(/^\[|\]$/g, ""), port: Number(port || 443) };
    secure(target, proxy, options).then(
      (socket) => callback(null, socket),
      (error: Error) => callback(error, null),
    );
  };
}

interface Target {
  readonly host: string;
  readonly port: number;
}

async function secure(target: Target, proxy: URL | undefined, options: ConnectionOptions): Promise<TLSSocket> {
  const { timeoutMs, tls, signal } = options;
  const named = isIP(target.host) === 0 ? { servername: target.host } : {};
  const way = proxy === undefined ? target : { socket: await openTunnel({ proxy, ...target, timeoutMs, signal }) };
  const through = proxy === undefined ? "" : ` through proxy ${proxy.host}`;
  const socket = connect({ ...way, host: target.host, ALPNProtocols: ["http/1.1"], ...named, ...tls });
  socket.setNoDelay(true).setKeepAlive(true, KEEP_ALIVE_DELAY_MS);
  return await shakenHands(socket, `${target.host}${through}`, options);
}

/** A peer, or a proxy that opened the way, and then lets nothing through is as silent as one that is not there. */
function shakenHands(
  socket: TLSSocket,
  whom: string,
  { timeoutMs, signal }: Pick<ConnectionOptions, "timeoutMs" | "signal">,
): Promise<TLSSocket> {
  return new Promise((resolve, reject) => {
    let ignore: () => void = () => undefined;
    const leave = () => {
      clearTimeout(limit);
      ignore();
      socket.off("error", fail);
    };
    const fail = (error: Error) => {
      leave();
      socket.on("error", () => undefined).destroy();
      reject(error);
    };
    const silence = new Fault("timeout", `${whom} did not answer in ${timeoutMs} ms`);
    const limit = setTimeout(() => fail(silence), timeoutMs);
    socket.once("error", fail);
    socket.once("secureConnect", () => {
      leave();
      resolve(socket);
    });
    ignore = onAbort(signal, () => fail(reasonOf(signal, `stopped while dialling ${whom}`)));
  });
}
