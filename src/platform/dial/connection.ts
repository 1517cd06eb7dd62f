// How a client of undici comes to its connections: directly, or through the proxy that the environment names, with the same TLS and
// the same trust in either case.

import { isIP } from "node:net";
import { connect, type SecureContext, type TLSSocket } from "node:tls";
import { Fault } from "../../kernel/outcome/index.ts";
import { type Environment, proxyFor } from "./proxy-choice.ts";
import { openTunnel } from "./tunnel.ts";

export interface ConnectionOptions {
  readonly timeoutMs: number;
  readonly tls: TlsOptions;
  readonly env: Environment;
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
  { timeoutMs, tls, env }: ConnectionOptions,
): (TlsOptions & { readonly timeout: number }) | Connector {
  const proxy = proxyFor(new URL(origin), env);
  if (proxy === undefined) return { timeout: timeoutMs, ...tls };
  return ({ hostname, port }, callback) => {
    const host = hostname.replace(/^\[|\]$/g, "");
    const named = isIP(host) === 0 ? { servername: host } : {};
    openTunnel({ proxy, host, port: Number(port || 443), timeoutMs }).then(
      (socket) => {
        const secure = connect({ socket, host, ...named, ...tls });
        const fail = (error: Error) => {
          clearTimeout(limit);
          callback(error, null);
          secure.on("error", () => undefined).destroy();
        };
        // A proxy that opened the way and then lets nothing through is as silent as one that does not open it.
        const silent = `${host} did not answer through proxy ${proxy.host} in ${timeoutMs} ms`;
        const limit = setTimeout(() => {
          secure.off("error", fail);
          fail(new Fault("timeout", silent));
        }, timeoutMs);
        secure.once("error", fail);
        secure.once("secureConnect", () => {
          clearTimeout(limit);
          secure.off("error", fail);
          callback(null, secure);
        });
      },
      (error: Error) => callback(error, null),
    );
  };
}
