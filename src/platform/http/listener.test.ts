import { setTimeout as sleep } from "node:timers/promises";
import { connect, type TLSSocket } from "node:tls";
import { afterEach, describe, expect, it } from "vitest";
import { aTestCa } from "../../../test/builders/tls-pair.ts";
import { aLeaf, anIntermediate, aRoot } from "../../../test/builders/x509.ts";
import { patient } from "../../../test/patience.ts";
import { encodePem } from "../../kernel/pem/index.ts";
import type { HttpAnswer, HttpHandler, HttpRequest } from "./exchange.ts";
import { dialableAddress, type Listener, type ListenerOptions, startListener } from "./listener.ts";

const ca = aTestCa();
let listener: Listener | undefined;
afterEach(async () => {
  await listener?.close();
  listener = undefined;
});

async function start(handler: HttpHandler, more: Partial<ListenerOptions> = {}): Promise<Listener> {
  const { certPem, keyPem } = ca;
  const servingCertificate = { certPem, keyPem };
  listener = await startListener({ host: "127.0.0.1", port: 0, servingCertificate, handler, ...more });
  return listener;
}

function answer(text: string, status = 200): HttpAnswer {
  return { status, headers: {}, body: Buffer.from(text) };
}

interface RawOptions {
  readonly until?: string;
  readonly cert?: string;
  readonly key?: string;
}

/** Sends exactly these bytes and reads until the server closes or `until` is seen. */
async function raw(port: number, bytes: string, options: RawOptions = {}): Promise<string> {
  const { until, ...identity } = options;
  const socket: TLSSocket = connect({
    ...identity,
    port,
    host: "127.0.0.1",
    rejectUnauthorized: false,
    ALPNProtocols: ["http/1.1"],
  });
  let received = "";
  socket.on("secureConnect", () => socket.write(bytes));
  return new Promise((resolve) => {
    socket.on("data", (chunk: Buffer) => {
      received += chunk.toString();
      if (until !== undefined && received.includes(until)) socket.destroy();
    });
    socket.on("error", () => undefined);
    socket.on("close", () => resolve(received));
  });
}

describe("the listener", () => {
  it("hands a request over as it came, and the peer's certificates as bytes", async () => {
    const seen: HttpRequest[] = [];
    const { port } = await start(async (request) => {
      seen.push(request);
      return answer("hello");
    });
    const text = await raw(port, "GET /a%2fb?c=d HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n");
    expect(text).toMatch(/^HTTP\/1\.1 200 OK/);
    expect(text).toMatch(/hello$/);
    expect(seen[0]).toMatchObject({ method: "GET", target: "/a%2fb?c=d", peerCertificates: [] });
  });

  it("hands over the whole chain a peer sent, leaf first and unjudged", async () => {
    const root = aRoot();
    const middle = anIntermediate(root);
    const leaf = aLeaf(middle);
    const seen: (readonly Uint8Array[])[] = [];
    const { port } = await start(async ({ peerCertificates }) => {
      seen.push(peerCertificates);
      return answer("x");
    });
    const cert = [leaf, middle].map(({ certificate }) => encodePem("CERTIFICATE", certificate.raw)).join("");
    await raw(port, "GET / HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n", { cert, key: leaf.key.encodePem() });
    expect(seen[0]?.map((der) => Buffer.from(der).toString("hex"))).toEqual(
      [leaf, middle].map(({ certificate }) => Buffer.from(certificate.raw).toString("hex")),
    );
  });

  it("reads a body up to the limit and not a byte more", async () => {
    const { port } = await start(async (request) => {
      try {
        return answer(`${(await request.readBody(10)).length} bytes`);
      } catch (error) {
        return answer((error as { code: string }).code, 413);
      }
    });
    const post = (length: number) =>
      raw(
        port,
        `POST / HTTP/1.1\r\nhost: x\r\nconnection: close\r\ncontent-length: ${length}\r\n\r\n${"x".repeat(length)}`,
      );
    expect(await post(10)).toMatch(/10 bytes$/);
    expect(await post(11)).toMatch(/limit-exceeded$/);
    const chunked =
      "POST / HTTP/1.1\r\nhost: x\r\nconnection: close\r\ntransfer-encoding: chunked\r\n\r\nb\r\n" +
      "xxxxxxxxxxx\r\n0\r\n\r\n";
    expect(await raw(port, chunked)).toMatch(/limit-exceeded$/);
  });

  const smuggled: Record<string, string> = {
    "a length and chunks":
      "POST / HTTP/1.1\r\nhost: x\r\ncontent-length: 3\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\nGET " +
      "/admin HTTP/1.1\r\nhost: x\r\n\r\n",
    "two lengths":
      "POST / HTTP/1.1\r\nhost: x\r\ncontent-length: 0\r\ncontent-length: 30\r\n\r\nGET /admin HTTP/1.1\r\n" +
      "host: x\r\n\r\n",
    "a length that is no number": "POST / HTTP/1.1\r\nhost: x\r\ncontent-length: 0x3\r\n\r\nabc",
    "a space before the colon": "GET / HTTP/1.1\r\nhost : x\r\n\r\n",
    "a folded header": "GET / HTTP/1.1\r\nhost: x\r\na: b\r\n c\r\n\r\n",
    "a bare line feed in a header": "GET / HTTP/1.1\r\nhost: x\r\nauthorization: a\nb: c\r\n\r\n",
    "no host": "GET / HTTP/1.1\r\n\r\n",
    "headers without end": `GET / HTTP/1.1\r\nhost: x\r\na: ${"b".repeat(70_000)}\r\n\r\n`,
  };
  it.each(Object.entries(smuggled))("refuses %s before anybody sees it", async (_name, bytes) => {
    const seen: string[] = [];
    const { port } = await start(async (request) => {
      seen.push(request.target);
      return answer("served");
    });
    // Refused in words, or cut off in the middle of them.
    expect(await raw(port, bytes)).toMatch(/^(?:HTTP\/1\.1 4\d\d|$)/);
    expect(seen).toEqual([]);
  });

  it("ends the connection when an answer leaves a body unread", async () => {
    const seen: string[] = [];
    const { port } = await start(async (request) => {
      seen.push(request.target);
      return answer("no", 403);
    });
    const text = await raw(port, "POST /a HTTP/1.1\r\nhost: x\r\ncontent-length: 100\r\n\r\nGET /admin HTTP/1.1\r\n");
    expect(text).toMatch(/^HTTP\/1\.1 403/);
    expect(seen).toEqual(["/a"]);
  });

  it("closes cleanly: streams end, idle connections go, and nothing new comes in", async () => {
    const signals: AbortSignal[] = [];
    async function* until(signal: AbortSignal): AsyncGenerator<string> {
      yield "first\n";
      await new Promise((resolve) => signal.addEventListener("abort", resolve, { once: true }));
      yield "last\n";
    }
    const { port } = await start(async ({ signal }) => {
      signals.push(signal);
      return { status: 200, headers: {}, body: until(signal) };
    });
    const reading = raw(port, "GET / HTTP/1.1\r\nhost: x\r\n\r\n");
    while (signals.length === 0) await new Promise((resolve) => setImmediate(resolve));
    await listener?.close();
    listener = undefined;
    expect(await reading).toMatch(/last/);
    expect(signals[0]?.aborted).toBe(true);
    expect(await raw(port, "GET / HTTP/1.1\r\nhost: x\r\n\r\n")).toBe("");
  });

  it("closes although a peer stalls in the middle of a body", async () => {
    let isReading = false;
    const { port } = await start(async (request) => {
      isReading = true;
      return answer(String((await request.readBody(1000)).length));
    });
    const stalled = raw(port, "POST / HTTP/1.1\r\nhost: x\r\ncontent-length: 100\r\n\r\nabc");
    while (!isReading) await new Promise((resolve) => setImmediate(resolve));
    await listener?.close();
    listener = undefined;
    expect(await stalled).toBe("");
  });

  it("tells a stream when its reader is gone", async () => {
    let signal: AbortSignal | undefined;
    async function* ticking(): AsyncGenerator<string> {
      yield "first\n";
      await new Promise((resolve) => signal?.addEventListener("abort", resolve, { once: true }));
    }
    const { port } = await start(async (request) => {
      signal = request.signal;
      return { status: 200, headers: {}, body: ticking() };
    });
    await raw(port, "GET / HTTP/1.1\r\nhost: x\r\n\r\n", { until: "first" });
    await new Promise<void>((resolve) => {
      if (signal?.aborted === true) resolve();
      else signal?.addEventListener("abort", () => resolve(), { once: true });
    });
    expect(signal?.aborted).toBe(true);
  });

  it("uses a new certificate for the next handshake", async () => {
    const started = await start(async () => answer("x"));
    const other = aTestCa("another");
    started.useCertificate({ certPem: other.certPem, keyPem: other.keyPem });
    const socket = connect({ port: started.port, host: "127.0.0.1", rejectUnauthorized: false });
    await new Promise((resolve) => socket.once("secureConnect", resolve));
    expect(socket.getPeerCertificate().subject.CN).toBe("another");
    socket.destroy();
  });

  it("says which address it cannot have", async () => {
    const { port } = await start(async () => answer("x"));
    const { certPem, keyPem } = ca;
    const again = startListener({
      host: "127.0.0.1",
      port,
      servingCertificate: { certPem, keyPem },
      handler: async () => answer(""),
    });
    await expect(again).rejects.toMatchObject({ code: "io-failed", message: expect.stringContaining(String(port)) });
  });
});

/** A connection that is kept open. */
function opened(port: number): Promise<TLSSocket> {
  return new Promise((resolve, reject) => {
    const socket = connect({ port, host: "127.0.0.1", rejectUnauthorized: false }, () => resolve(socket));
    socket.on("error", reject);
  });
}

/** Sends a request on an open connection; undefined when the server closes it instead of answering. */
function asked(socket: TLSSocket): Promise<string | undefined> {
  return new Promise((resolve) => {
    socket.once("data", (chunk: Buffer) => resolve(chunk.toString().split("\r\n")[0]));
    socket.once("close", () => resolve(undefined));
    socket.write("GET / HTTP/1.1\r\nhost: x\r\n\r\n");
  });
}

describe("too many connections of one address", () => {
  const connections = { all: 100, perAddress: 3 };

  it("close the one that has been idle longest, and serve the new one", async () => {
    const { port } = await start(async () => answer("hello"), { connections });
    const sockets = [await opened(port), await opened(port), await opened(port)] as const;
    const closed = sockets.map((socket) => new Promise((resolve) => socket.once("close", resolve)));
    expect(await asked(sockets[0])).toBe("HTTP/1.1 200 OK");
    const fourth = await opened(port);
    expect(await asked(fourth)).toBe("HTTP/1.1 200 OK");
    await closed[1];
    expect(await asked(sockets[0])).toBe("HTTP/1.1 200 OK");
    expect(await asked(sockets[2])).toBe("HTTP/1.1 200 OK");
    for (const socket of [...sockets, fourth]) socket.destroy();
  });

  it("are refused when all of them are in use, until one is answered", async () => {
    const finish: (() => void)[] = [];
    const handler = () => new Promise<HttpAnswer>((resolve) => finish.push(() => resolve(answer("hello"))));
    const { port } = await start(handler, { connections });
    const sockets = [await opened(port), await opened(port), await opened(port)];
    const answers = sockets.map(asked);
    await expect.poll(() => finish.length).toBe(3);
    await expect(opened(port)).rejects.toThrow();
    finish[0]?.();
    expect(await answers[0]).toBe("HTTP/1.1 200 OK");
    const fourth = asked(await opened(port));
    await expect.poll(() => finish.length).toBe(4);
    for (const end of finish) end();
    expect(await fourth).toBe("HTTP/1.1 200 OK");
    for (const socket of sockets) socket.destroy();
  });

  it("of all addresses are bounded too", async () => {
    const { port } = await start(async () => answer("hello"), { connections: { all: 2, perAddress: 100 } });
    const first = await opened(port);
    const closed = new Promise((resolve) => first.once("close", resolve));
    const others = [await opened(port), await opened(port)];
    await closed;
    expect(await Promise.all(others.map(asked))).toEqual(["HTTP/1.1 200 OK", "HTTP/1.1 200 OK"]);
    for (const socket of others) socket.destroy();
  });
});

describe("a reader that takes nothing of a large answer", () => {
  it("is cut off, and one that reads is not", async () => {
    const body = Buffer.alloc(16 * 1024 * 1024, "x");
    const { port } = await start(async () => ({ status: 200, headers: {}, body }), {
      stalledReaders: { longestMs: 2_000, heldBytes: 2 ** 30 },
    });
    const [stalled, reading] = [await opened(port), await opened(port)];
    let received = 0;
    let taken = 0;
    stalled.on("data", (chunk: Buffer) => {
      received += chunk.length;
    });
    reading.on("data", (chunk: Buffer) => {
      taken += chunk.length;
    });
    const cut = new Promise((resolve) => stalled.once("close", resolve));
    stalled.write("GET / HTTP/1.1\r\nhost: x\r\n\r\n");
    stalled.pause();
    reading.write("GET / HTTP/1.1\r\nhost: x\r\n\r\n");
    await sleep(4_000);
    stalled.resume();
    await cut;
    expect(received).toBeLessThan(body.length);
    await expect.poll(() => taken, { timeout: patient(15_000) }).toBeGreaterThan(body.length);
    reading.destroy();
  });
});

describe("readers that take nothing of their answers", () => {
  it("are cut off, the longest first, while they keep more than they may together", async () => {
    const event = `${"x".repeat(2 ** 20)}\n`;
    async function* events(): AsyncGenerator<string> {
      for (let at = 0; at < 64; at += 1) yield event;
    }
    const { port } = await start(async () => ({ status: 200, headers: {}, body: events() }), {
      stalledReaders: { longestMs: 600_000, heldBytes: 3.5 * 2 ** 20 },
    });
    const sockets = await Promise.all(Array.from({ length: 6 }, () => opened(port)));
    const taken = sockets.map(() => 0);
    for (const [index, socket] of sockets.entries()) {
      socket.on("data", (chunk: Buffer) => {
        taken[index] = (taken[index] ?? 0) + chunk.length;
      });
      socket.write("GET / HTTP/1.1\r\nhost: x\r\n\r\n");
      socket.pause();
      await sleep(50);
    }
    const cut = sockets.slice(0, 3).map((socket) => new Promise((resolve) => socket.once("close", resolve)));
    await sleep(4_000);
    // A socket that is paused does not see its end.
    for (const socket of sockets) socket.resume();
    await Promise.all(cut);
    await expect.poll(() => Math.min(...taken.slice(3)), { timeout: patient(30_000) }).toBeGreaterThan(64 * 2 ** 20);
    for (const socket of sockets) socket.destroy();
  });
});

describe("where others reach a server", () => {
  it.each(["10.0.0.1", "2001:db8::1"])("is %s, on which it listens", (host) =>
    expect(dialableAddress(host)).toBe(host),
  );

  it.each(["127.0.0.1", "::1", "169.254.1.1", "localhost"])("is nowhere when it listens on %s", (host) =>
    expect(dialableAddress(host)).toBeUndefined(),
  );
});
