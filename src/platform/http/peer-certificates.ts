// What the peer sent in the TLS handshake, as bytes. Node links the certificates through `issuerCertificate`; the list is
// read once per connection, because building it is slow and it cannot change (there are no session tickets here).

import type { Socket } from "node:net";
import { type DetailedPeerCertificate, TLSSocket } from "node:tls";

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
