// A company's proxy: takes CONNECT, knows where names lead that nobody else can resolve, and writes down every byte it
// sees.

import { type AddressInfo, connect, createServer, type Socket } from "node:net";

export interface ConnectProxy {
  readonly url: string;
  /** The targets that were asked for, in order. */
  readonly asked: string[];
  /** Everything that passed, in both directions. */
  recorded(): Buffer;
  close(): Promise<void>;
}

export interface ConnectProxyOptions {
  /** host:port -> port on 127.0.0.1; others get 502. */
  readonly routes: Readonly<Record<string, number>>;
  /** `user:password`; whoever does not say it gets 407. */
  readonly login?: string;
}

export async function startConnectProxy({ routes, login }: ConnectProxyOptions): Promise<ConnectProxy> {
  const asked: string[] = [];
  const pieces: Buffer[] = [];
  const sockets = new Set<Socket>();
  const keep = (socket: Socket) => {
    sockets.add(socket);
    socket.on("data", (piece: Buffer) => pieces.push(piece));
    socket.on("error", () => socket.destroy());
  };
  const server = createServer((near) => {
    keep(near);
    near.once("data", (head: Buffer) => {
      const text = head.toString("latin1");
      const target = /^CONNECT (\S+) HTTP\/1\.1\r\n/.exec(text)?.[1] ?? "";
      asked.push(target);
      const wanted = login === undefined ? undefined : Buffer.from(login).toString("base64");
      if (wanted !== undefined && !text.includes(`Proxy-Authorization: Basic ${wanted}\r\n`))
        return void near.end("HTTP/1.1 407 Proxy Authentication Required\r\n\r\n");
      const port = routes[target];
      if (port === undefined) return void near.end("HTTP/1.1 502 Bad Gateway\r\n\r\n");
      const far = connect({ host: "127.0.0.1", port }, () => {
        near.write("HTTP/1.1 200 Connection established\r\n\r\n");
        near.pipe(far).pipe(near);
      });
      keep(far);
      far.once("close", () => near.destroy());
      near.once("close", () => far.destroy());
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://${login === undefined ? "" : `${login}@`}127.0.0.1:${(server.address() as AddressInfo).port}`,
    asked,
    recorded: () => Buffer.concat(pieces),
    close: () => {
      for (const socket of sockets) socket.destroy();
      return new Promise((resolve) => void server.close(() => resolve()));
    },
  };
}
