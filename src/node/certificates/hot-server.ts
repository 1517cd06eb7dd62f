// For servers: each handshake gets the current pair, as GetCertificate of KEP-266. When the pair changes, connections
// of the old one end: idle ones at once, busy ones after the answer in progress.

import type { ServerResponse } from "node:http";
import type { Server } from "node:https";
import type { Socket } from "node:net";
import type { CertificatePair } from "../../platform/pair/index.ts";
import type { CertificateManager } from "./manager/options.ts";

/** Answers how to stop following the manager. */
export function hotSwapServer(server: Server, manager: Pick<CertificateManager, "current" | "onChange">): () => void {
  const busy = new Map<Socket, number>();
  const open = new Set<Socket>();
  const outdated = new WeakSet<Socket>();
  const onConnection = (socket: Socket) => {
    open.add(socket);
    socket.once("close", () => open.delete(socket));
  };
  const onRequest = (_request: unknown, response: ServerResponse) => {
    const { socket } = response;
    if (socket === null) return;
    busy.set(socket, (busy.get(socket) ?? 0) + 1);
    response.once("close", () => {
      busy.set(socket, (busy.get(socket) ?? 1) - 1);
      if (busy.get(socket) === 0) busy.delete(socket);
      if (!busy.has(socket) && outdated.has(socket)) socket.end();
    });
  };
  const use = ({ certificatePem, keyPem }: CertificatePair) => {
    server.setSecureContext({ cert: certificatePem, key: keyPem, minVersion: "TLSv1.2" });
    for (const socket of open) {
      if (busy.has(socket)) outdated.add(socket);
      else socket.end();
    }
  };
  server.on("secureConnection", onConnection);
  server.prependListener("request", onRequest);
  const now = manager.current();
  if (now !== undefined) use(now);
  const leave = manager.onChange(use);
  return () => {
    leave();
    server.off("secureConnection", onConnection);
    server.off("request", onRequest);
  };
}
