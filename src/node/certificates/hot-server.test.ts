import { createServer, get, type Server } from "node:https";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { connect } from "node:tls";
import { afterEach, describe, expect, it } from "vitest";
import { aTestCa, type TlsPair } from "../../../test/builders/tls-pair.ts";
import { type CertificatePair, parsePair } from "../../platform/pair/index.ts";
import { hotSwapServer } from "./hot-server.ts";

const ca = aTestCa();
const pairOf = ({ certPem, keyPem }: TlsPair): CertificatePair => parsePair(certPem + keyPem);

/** A manager of which a test turns the pair. */
function aManager(first: CertificatePair | undefined) {
  const listeners = new Set<(pair: CertificatePair) => void>();
  let pair = first;
  return {
    current: () => pair,
    onChange: (listener: (next: CertificatePair) => void) => {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    use: (next: CertificatePair) => {
      pair = next;
      for (const listener of listeners) listener(next);
    },
    listeners,
  };
}

describe("a hot-swapped server", () => {
  let server: Server;
  afterEach(
    () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  );

  async function start(manager: ReturnType<typeof aManager>, slow?: Promise<void>): Promise<number> {
    server = createServer(async (_request, response) => {
      await slow;
      response.end("answered");
    });
    hotSwapServer(server, manager);
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    return (server.address() as AddressInfo).port;
  }

  const serialOf = (port: number) =>
    new Promise<string>((resolve, reject) => {
      const socket = connect({ port, host: "127.0.0.1", ca: ca.certPem, servername: "localhost" }, () => {
        resolve(socket.getPeerCertificate().serialNumber);
        socket.destroy();
      });
      socket.on("error", reject);
    });

  it("uses the pair of the moment for every handshake, and none before there is one", async () => {
    const manager = aManager(undefined);
    const port = await start(manager);
    await expect(serialOf(port)).rejects.toThrow();
    manager.use(pairOf(ca.issueServing()));
    const first = await serialOf(port);
    expect(await serialOf(port)).toBe(first);
    manager.use(pairOf(ca.issueServing()));
    expect(await serialOf(port)).not.toBe(first);
  });

  it("ends idle connections at once and busy ones with their answer", async () => {
    const manager = aManager(pairOf(ca.issueServing()));
    let finish: () => void = () => expect.fail("not started yet");
    const slow = new Promise<void>((resolve) => {
      finish = resolve;
    });
    const port = await start(manager, slow);
    const idle = connect({ port, host: "127.0.0.1", ca: ca.certPem, servername: "localhost" });
    const ended = new Promise((resolve) => idle.once("close", resolve));
    await new Promise((resolve) => idle.once("secureConnect", resolve));
    const busy = new Promise<string>((resolve, reject) => {
      get({ port, host: "127.0.0.1", ca: ca.certPem, servername: "localhost" }, async (answer) =>
        resolve(await text(answer)),
      ).on("error", reject);
    });
    await new Promise((resolve) => server.once("request", resolve));
    idle.resume();
    manager.use(pairOf(ca.issueServing()));
    await ended;
    finish();
    expect(await busy).toBe("answered");
  });
});
