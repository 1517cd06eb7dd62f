// One GET over TLS on a connection of its own: what discovery needs before anything is known about a server. Exact
// bytes come back, never unpacked and never more than was asked for; a redirect is an answer like any other and is not
// followed.

import { createSecureContext, type SecureContext } from "node:tls";
import type { Dispatcher } from "undici";
import { Fault } from "../../kernel/outcome/index.ts";
import { connectionTo, type Environment } from "../dial/index.ts";
import { faultFromConnection } from "../kube/wire/connection-faults.ts";
import { startDeadline } from "../kube/wire/deadline.ts";

/**
 * What the connection trusts: only these certificates, or, for a document that proves itself, any server.
 */
export type ServerTrust = { readonly caPem: string } | { readonly anybody: true };

export interface HttpsGet {
  readonly url: string;
  readonly trust: ServerTrust;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** The name in the server's certificate, where it is not the host of the URL. */
  readonly tlsServerName?: string | undefined;
  readonly timeoutMs: number;
  readonly maxBytes: number;
  readonly signal?: AbortSignal | undefined;
  /** Of a kubeconfig: goes before the environment's. */
  readonly proxyUrl?: string | undefined;
  /** Where a proxy may be named, in HTTPS_PROXY and NO_PROXY. Left out: none. */
  readonly env?: Environment | undefined;
}

export interface HttpsAnswer {
  readonly status: number;
  /** Names in lower case; a list when the header came more than once. */
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  readonly body: Uint8Array;
}

/**
 * Fault `untrusted`, `unavailable`, `timeout`, `aborted`, `limit-exceeded`, or `bad-config` for a URL or proxy that is
 * none.
 */
export async function getHttps(get: HttpsGet): Promise<HttpsAnswer> {
  const { origin, pathname, search } = parseHttpsUrl(get.url);
  const deadline = startDeadline(`GET ${origin}${pathname}`, get.timeoutMs, get.signal);
  let client: Dispatcher | undefined;
  try {
    client = await openClient(origin, get, deadline.signal);
    const response = await client.request({
      method: "GET",
      path: `${pathname}${search}`,
      headers: {
        accept: "application/json",
        "accept-encoding": "identity",
        "user-agent": "countersign",
        ...get.headers,
      },
      signal: deadline.signal,
    });
    return { status: response.statusCode, headers: response.headers, body: await readBody(response, get.maxBytes) };
  } catch (cause) {
    throw faultFromConnection(cause, origin);
  } finally {
    deadline.clear();
    await client?.destroy();
  }
}

async function openClient(
  origin: string,
  { trust, tlsServerName, timeoutMs, env = {}, proxyUrl }: HttpsGet,
  signal: AbortSignal,
): Promise<Dispatcher> {
  const secureContext = createContext(trust);
  const { Client } = await import("undici");
  const tls = {
    secureContext,
    rejectUnauthorized: "caPem" in trust,
    ...(tlsServerName === undefined ? {} : { servername: tlsServerName }),
  };
  const connect = connectionTo(origin, { timeoutMs, tls, env, proxyUrl, signal });
  return new Client(origin, { pipelining: 0, connect });
}

/**
 * A CA in the list is trusted whether it signed itself or not, as Go's clients do it; one that cannot be read is
 * trusted for nothing.
 */
function createContext(trust: ServerTrust): SecureContext {
  if (!("caPem" in trust)) return createSecureContext({ ca: [] });
  return createSecureContext({ ca: trust.caPem, allowPartialTrustChain: true });
}

function parseHttpsUrl(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url?.protocol !== "https:") throw new Fault("bad-config", "the address to read is not an https URL");
  return url;
}

async function readBody(response: Dispatcher.ResponseData, maxBytes: number): Promise<Uint8Array> {
  const pieces: Buffer[] = [];
  let length = 0;
  for await (const piece of response.body) {
    pieces.push(piece as Buffer);
    length += (piece as Buffer).length;
    if (length > maxBytes) throw new Fault("limit-exceeded", `the server's answer is longer than ${maxBytes} bytes`);
  }
  return Buffer.concat(pieces, length);
}
