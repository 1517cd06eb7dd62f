// A TLS server with the limits that every listener of ours has. A client certificate is asked for and not judged:
// whether it is good is decided for every request, against the CA bundle of that moment. HTTP/1.1 only.

import { constants } from "node:crypto";
import type { RequestListener } from "node:http";
import { createServer, type Server } from "node:https";
import type { AddressInfo, Socket } from "node:net";
import { type DetailedPeerCertificate, TLSSocket } from "node:tls";
import { Fault } from "../../kernel/outcome/index.ts";
import type { ConnectionLimits } from "./connections.ts";

/**
 * Longest request line and headers together. Selectors and continue tokens travel there; a browser's cookies do not.
 */
const MAX_HEADER_BYTES = 64 * 1024;
/** A peer that has not sent its headers by then holds a connection for nothing (kube-apiserver: 32 s as well). */
const HEADERS_TIMEOUT_MS = 32_000;
/** Headers and body together; 3 MiB in a minute is a slow but honest line. */
const REQUEST_TIMEOUT_MS = 60_000;
/** Longer than the pause between two heartbeats of a node, so that a node keeps its connection. */
const KEEP_ALIVE_TIMEOUT_MS = 90_000;
/** A handshake is two messages of the peer; one that takes longer than a slow line needs is meant to. */
const HANDSHAKE_TIMEOUT_MS = 10_000;
/**
 * Each node holds a handful of connections; beyond the first bound the process would run out of descriptors. An idle
 * connection takes 43 KB (18,500 took 0.8 GB), so one address can take 180 MB. Many nodes may stand behind one address.
 */
export const CONNECTION_LIMITS: ConnectionLimits = { all: 16_384, perAddress: 4_096 };

export interface ServingCertificate {
  readonly certPem: string;
  readonly keyPem: string;
}

export function createTlsServer(certificate: ServingCertificate, onRequest: RequestListener): Server {
  const server = createServer(serverOptions(certificate), onRequest);
  server.maxConnections = CONNECTION_LIMITS.all;
  // The size of all headers is bounded; a bound on their number would drop the last ones in silence, a credential among
  // them.
  server.maxHeadersCount = 0;
  server.on("tlsClientError", (_error, socket) => socket.destroy());
  return server;
}

/** New handshakes use it from now on; connections that are open keep what they have. */
export function useCertificate(server: Server, certificate: ServingCertificate): void {
  server.setSecureContext(secureContext(certificate));
}

function secureContext(certificate: ServingCertificate) {
  return {
    cert: certificate.certPem,
    key: certificate.keyPem,
    minVersion: "TLSv1.2" as const,
    // No certificate is judged here. Left out, OpenSSL would parse the roots of the whole web: 40 ms at the first
    // start.
    ca: [],
    // A resumed session would bring back the peer's leaf without the intermediates it sent.
    secureOptions: constants.SSL_OP_NO_TICKET,
  };
}

function serverOptions(certificate: ServingCertificate) {
  return {
    ...secureContext(certificate),
    ALPNProtocols: ["http/1.1"],
    requestCert: true,
    rejectUnauthorized: false,
    maxHeaderSize: MAX_HEADER_BYTES,
    handshakeTimeout: HANDSHAKE_TIMEOUT_MS,
    headersTimeout: HEADERS_TIMEOUT_MS,
    requestTimeout: REQUEST_TIMEOUT_MS,
    keepAliveTimeout: KEEP_ALIVE_TIMEOUT_MS,
    insecureHTTPParser: false,
    requireHostHeader: true,
    noDelay: true,
  };
}

export interface ListenAddress {
  readonly host: string;
  /** 0 picks a free port. */
  readonly port: number;
}

/** Fault `io-failed` that says why not. */
export async function listen(server: Server, options: ListenAddress): Promise<AddressInfo> {
  await new Promise<void>((resolve, reject) => {
    const onError = (cause: NodeJS.ErrnoException) => {
      const isTaken = cause.code === "EADDRINUSE";
      const why = isTaken ? "somebody else listens there" : cause.message;
      const todo = isTaken
        ? "stop that process, or name another port"
        : "name an address and a port that this user may listen on";
      const detail = { port: options.port, systemCode: cause.code ?? "", todo };
      reject(new Fault("io-failed", `cannot listen on ${options.host}:${options.port}: ${why}`, { cause, detail }));
    };
    server.once("error", onError);
    server.listen(options.port, options.host, () => {
      server.off("error", onError);
      resolve();
    });
  });
  const address = server.address();
  if (address === null || typeof address === "string") throw new Fault("internal", "the listener has no TCP address");
  return address;
}

// What the peer sent in the TLS handshake, as bytes. Node links the certificates through `issuerCertificate`; the list
// is read once per connection, because building it is slow and it cannot change (there are no session tickets here).

/** A real chain has a leaf and one or two intermediates; more is an attempt to make path building expensive. */
const MAX_PEER_CERTIFICATES = 10;

const known = new WeakMap<Socket, readonly Uint8Array[]>();

export function peerCertificatesOf(socket: Socket): readonly Uint8Array[] {
  const cached = known.get(socket);
  if (cached !== undefined) return cached;
  const found = socket instanceof TLSSocket ? collect(socket) : [];
  known.set(socket, found);
  return found;
}

function collect(socket: TLSSocket): readonly Uint8Array[] {
  const seen = new Set<string>();
  const chain: Uint8Array[] = [];
  let current: DetailedPeerCertificate | undefined = socket.getPeerCertificate(true);
  while (current?.raw !== undefined && chain.length < MAX_PEER_CERTIFICATES && !seen.has(current.fingerprint512)) {
    seen.add(current.fingerprint512);
    chain.push(current.raw);
    current = current.issuerCertificate;
  }
  return chain;
}
