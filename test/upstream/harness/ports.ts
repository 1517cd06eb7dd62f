// Free ports on loopback for servers that cannot be told to choose one themselves.

import { randomInt } from "node:crypto";
import { createServer, type Server } from "node:net";

/**
 * Below Linux' ephemeral range: an outgoing connection never takes such a port between our look and the server's start.
 */
const LOWEST = 20_000;
const HIGHEST = 32_767;

export async function findFreePorts(count: number): Promise<number[]> {
  // Held together until all are found, so that no port is found twice.
  const held: Server[] = [];
  const ports: number[] = [];
  while (ports.length < count) {
    const port = randomInt(LOWEST, HIGHEST + 1);
    const server = await tryListen(port);
    if (server === undefined) continue;
    held.push(server);
    ports.push(port);
  }
  await Promise.all(held.map((server) => new Promise((resolve) => server.close(resolve))));
  return ports;
}

function tryListen(port: number): Promise<Server | undefined> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once("error", () => resolve(undefined));
    // No host: free on every address, as a kubelet listens on all of them.
    server.listen({ port, exclusive: true }, () => resolve(server));
  });
}
