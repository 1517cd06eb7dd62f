// A wire with scissors: passes bytes on to a server until a test cuts all connections or takes the way away for a
// while. It knows nothing of what flows through it, so TLS and every server behave as they do without it.

import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";

export interface TcpProxy {
  readonly url: string;
  /** Breaks every connection; new ones are let through. */
  cut(): void;
  /** From now on every connection is broken at once. */
  takeAway(): void;
  giveBack(): void;
  close(): Promise<void>;
}

export async function startTcpProxy(target: string): Promise<TcpProxy> {
  const { hostname, port } = new URL(target);
  const sockets = new Set<Socket>();
  let away = false;
  const track = (socket: Socket) => {
    sockets.add(socket);
    socket.on("error", () => socket.destroy());
    socket.once("close", () => sockets.delete(socket));
  };
  const server = createServer((near) => {
    track(near);
    if (away) {
      near.resetAndDestroy();
      return;
    }
    const far = connect({ host: hostname, port: Number(port) });
    track(far);
    near.pipe(far).pipe(near);
    near.once("close", () => far.destroy());
    far.once("close", () => near.destroy());
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const cut = () => {
    for (const socket of sockets) socket.resetAndDestroy();
  };
  return {
    url: `https://127.0.0.1:${(server.address() as AddressInfo).port}`,
    cut,
    takeAway: () => {
      away = true;
      cut();
    },
    giveBack: () => {
      away = false;
    },
    close: async () => {
      server.close();
      cut();
      await once(server, "close");
    },
  };
}
