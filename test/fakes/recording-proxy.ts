// A man in the middle who writes everything down: the bytes of the wire, and, because he holds a certificate and ends
// the TLS connection, the bytes inside. What he reads he passes on, so whoever speaks through him gets true answers.

import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Server, type Socket } from "node:net";
import { connect as connectTls, createServer as createTlsServer } from "node:tls";
import type { TlsPair } from "../builders/tls-pair.ts";

export interface RecordingProxy {
  readonly url: string;
  /** What clients sent so far, outside and inside of TLS. */
  recorded(): Buffer;
  close(): Promise<void>;
}

export async function startRecordingProxy(target: string, { certPem, keyPem }: TlsPair): Promise<RecordingProxy> {
  const { hostname, port } = new URL(target);
  const pieces: Buffer[] = [];
  const sockets = new Set<Socket>();
  const join = (near: Socket, far: Socket) => {
    for (const socket of [near, far]) {
      sockets.add(socket);
      socket.on("error", () => socket.destroy());
      socket.once("close", () => sockets.delete(socket));
    }
    near.on("data", (piece: Buffer) => pieces.push(piece));
    near.pipe(far).pipe(near);
    near.once("close", () => far.destroy());
    far.once("close", () => near.destroy());
  };
  const inner = createTlsServer({ cert: certPem, key: keyPem }, (near) =>
    join(near, connectTls({ host: hostname, port: Number(port), rejectUnauthorized: false })),
  );
  const innerPort = await listen(inner);
  const outer = createServer((near) => join(near, connect({ host: "127.0.0.1", port: innerPort })));
  const outerPort = await listen(outer);
  return {
    url: `https://127.0.0.1:${outerPort}`,
    recorded: () => Buffer.concat(pieces),
    close: async () => {
      for (const socket of sockets) socket.destroy();
      await Promise.all([outer, inner].map((server) => new Promise((done) => server.close(done))));
    },
  };
}

async function listen(server: Server): Promise<number> {
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return (server.address() as AddressInfo).port;
}

/**
 * The spellings of a secret in `bytes`, by name: as it is, base64 at any offset, hex, percent-encoded, JSON escapes.
 */
export function spellingsFound(bytes: Buffer, secret: string): string[] {
  const text = bytes.toString("latin1");
  return Object.entries(spellingsOf(secret)).flatMap(([name, spelling]) => (text.includes(spelling) ? [name] : []));
}

function spellingsOf(secret: string): Record<string, string> {
  const hex = Buffer.from(secret).toString("hex");
  const perByte = (prefix: string) => hex.replace(/../g, (pair) => `${prefix}${pair}`);
  const aligned = [0, 1, 2].map((offset) => {
    const encoded = Buffer.from(`${"x".repeat(offset)}${secret}`)
      .toString("base64")
      .replace(/=+$/, "");
    // The characters that hold bits of a neighbour are left out.
    return encoded.slice(offset === 0 ? 0 : offset + 1, Math.floor(((offset + secret.length) * 8) / 6));
  });
  return {
    plain: secret,
    reversed: [...secret].reverse().join(""),
    hex,
    "hex in capitals": hex.toUpperCase(),
    "percent-encoded": perByte("%"),
    "percent-encoded in capitals": perByte("%").toUpperCase(),
    "JSON escapes": perByte("\\u00"),
    ...Object.fromEntries(aligned.map((text, offset) => [`base64 at offset ${offset}`, text])),
    ...Object.fromEntries(
      aligned.map((text, offset) => [`base64url at offset ${offset}`, text.replaceAll("+", "-").replaceAll("/", "_")]),
    ),
  };
}
