// Counts connections by peer. Each takes some forty kilobytes, used or not, and a peer that opens thousands of them
// should cost himself: beyond a bound for each peer, the one that has been idle longest is closed for the new one, and
// only when all are in use the new one is refused. A peer is an IPv4 address or an IPv6 network of 64 bits, which one
// machine has whole.

import type { Socket } from "node:net";

export interface ConnectionLimits {
  readonly all: number;
  readonly perAddress: number;
  /** Told of a connection that was refused, with its peer. */
  readonly onRefused?: ((peer: string) => void) | undefined;
}

/** The part of a server that this file needs. */
interface ConnectionSource {
  on(event: "connection" | "secureConnection", listener: (socket: Socket) => void): unknown;
}

interface Connections {
  /** A request came on this socket; call the result when it is answered. */
  used(socket: Socket): () => void;
}

interface Connection {
  readonly key: string;
  readonly address: string;
  /** The TLS socket once there is one: it is the one to destroy. */
  socket: Socket;
  requests: number;
}

/** All connections of one peer; those without a request in the order in which they became idle. */
interface Peer {
  count: number;
  readonly idle: Map<string, Connection>;
}

export function limitConnections(server: ConnectionSource, limits: ConnectionLimits): Connections {
  const open = new Map<string, Connection>();
  const peers = new Map<string, Peer>();

  function add(socket: Socket): void {
    const address = peerOf(socket.remoteAddress ?? "");
    const peer = peers.get(address) ?? { count: 0, idle: new Map() };
    const isFull = peer.count >= limits.perAddress && !evict(peer);
    if (isFull || (open.size >= limits.all && !evict(largest(peers)))) {
      limits.onRefused?.(address);
      return void socket.destroy();
    }
    const connection: Connection = { key: keyOf(socket), address, socket, requests: 0 };
    peers.set(address, peer);
    peer.count += 1;
    peer.idle.set(connection.key, connection);
    open.set(connection.key, connection);
    socket.once("close", () => remove(connection));
  }

  function remove(connection: Connection): void {
    if (open.get(connection.key) !== connection) return;
    open.delete(connection.key);
    const peer = peers.get(connection.address);
    if (peer === undefined) return;
    peer.count -= 1;
    peer.idle.delete(connection.key);
    if (peer.count === 0) peers.delete(connection.address);
  }

  function evict(peer: Peer | undefined): boolean {
    for (const connection of peer?.idle.values() ?? []) {
      remove(connection);
      connection.socket.destroy();
      return true;
    }
    return false;
  }

  server.on("connection", add);
  server.on("secureConnection", (socket) => {
    const connection = open.get(keyOf(socket));
    if (connection !== undefined) connection.socket = socket;
  });
  return {
    used: (socket) => {
      const connection = open.get(keyOf(socket));
      if (connection === undefined) return () => undefined;
      const idle = peers.get(connection.address)?.idle;
      connection.requests += 1;
      idle?.delete(connection.key);
      return () => {
        connection.requests -= 1;
        if (connection.requests === 0 && open.get(connection.key) === connection) idle?.set(connection.key, connection);
      };
    },
  };
}

/** `::ffff:a.b.c.d` is an IPv4 address. */
function peerOf(address: string): string {
  const mapped = /^::ffff:(?=\d+\.)/i;
  if (!address.includes(":") || mapped.test(address)) return address.replace(mapped, "");
  const [network = ""] = address.split("::");
  return `${network.split(":").slice(0, 4).join(":")}::/64`;
}

/** Of two open connections to one port, address or port differ. */
function keyOf({ remoteAddress, remotePort }: Socket): string {
  return `${remoteAddress} ${remotePort}`;
}

function largest(peers: ReadonlyMap<string, Peer>): Peer | undefined {
  let most: Peer | undefined;
  for (const peer of peers.values()) if (peer.idle.size > (most?.idle.size ?? 0)) most = peer;
  return most;
}
