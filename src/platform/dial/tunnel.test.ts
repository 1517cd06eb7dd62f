import { getEventListeners } from "node:events";
import { createServer, type Server } from "node:net";
import { createSecureContext } from "node:tls";
import { afterEach, describe, expect, it } from "vitest";
import { Fault } from "../../kernel/outcome/index.ts";
import { connectionTo } from "./connection.ts";
import { openTunnel } from "./tunnel.ts";

const servers: Server[] = [];
afterEach(async () => {
  await Promise.all(servers.splice(0).map((server) => new Promise((resolve) => server.close(resolve))));
});

/** Answers every client with this; undefined: not at all. With `dripMs`: then also an octet that often. */
async function aProxy(
  answer: string | undefined,
  { dripMs }: { readonly dripMs?: number } = {},
): Promise<{ readonly proxy: URL; readonly heard: string[] }> {
  const heard: string[] = [];
  const server = createServer((socket) => {
    socket.on("error", () => socket.destroy());
    socket.once("data", (bytes) => {
      heard.push(bytes.toString("latin1"));
      if (answer !== undefined) socket.write(answer);
      if (dripMs === undefined) return;
      const drip = setInterval(() => socket.write("x"), dripMs);
      socket.once("close", () => clearInterval(drip));
    });
  });
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as { port: number };
  return { proxy: new URL(`http://us%40er:p%3Aw@127.0.0.1:${port}`), heard };
}

const target = { host: "api.example", port: 6443, timeoutMs: 2_000 };

describe("a tunnel", () => {
  it("is asked for with the host, the port, and who we are to the proxy", async () => {
    const { proxy, heard } = await aProxy("HTTP/1.1 200 OK\r\nVia: x\r\n\r\n");
    (await openTunnel({ ...target, proxy })).destroy();
    const who = Buffer.from("us@er:p:w").toString("base64");
    expect(heard).toEqual([
      `CONNECT api.example:6443 HTTP/1.1\r\nHost: api.example:6443\r\nProxy-Authorization: Basic ${who}\r\n\r\n`,
    ]);
  });

  it("sends small requests at once and notices a peer that vanished, as a direct connection does", async () => {
    const { proxy } = await aProxy("HTTP/1.1 200 OK\r\n\r\n");
    const socket = await openTunnel({ ...target, proxy });
    // Node does not tell what was set; under these names it remembers.
    const remembered = (name: string) =>
      Reflect.get(socket, Object.getOwnPropertySymbols(socket).find(({ description }) => description === name) ?? "");
    expect([remembered("kSetNoDelay"), remembered("kSetKeepAlive")]).toEqual([true, true]);
    socket.destroy();
  });

  it("to an IPv6 address has its brackets", async () => {
    const { proxy, heard } = await aProxy("HTTP/1.1 200 OK\r\n\r\n");
    (await openTunnel({ ...target, host: "fd00::1", proxy })).destroy();
    expect(heard[0]).toMatch(/^CONNECT \[fd00::1\]:6443 HTTP/);
  });

  const REFUSED: Readonly<Record<string, [answer: string, code: string, message: RegExp]>> = {
    "wants a password": ["HTTP/1.1 407 Who\r\n\r\n", "forbidden", /does not connect to api\.example:6443: status 407/],
    "cannot reach the host": [
      "HTTP/1.1 502 Bad Gateway\r\n\r\n",
      "unavailable",
      /status 502; name the host in NO_PROXY/,
    ],
    "is no proxy": ["SSH-2.0-OpenSSH\r\n\r\n", "unavailable", /does not answer as a proxy/],
    "talks without end": ["x".repeat(20_000), "unavailable", /does not answer as a proxy/],
    "speaks for the target": ["HTTP/1.1 200 OK\r\n\r\nhello", "malformed", /speaks before it was spoken to/],
  };
  it.each(Object.entries(REFUSED))("through a proxy that %s is a clear fault", async (_, [answer, code, message]) => {
    const { proxy } = await aProxy(answer);
    await expect(openTunnel({ ...target, proxy })).rejects.toMatchObject({
      code,
      message: expect.stringMatching(message),
    });
  });

  it("through a proxy that sends an octet now and then is given up", async () => {
    const { proxy } = await aProxy("HTTP/1.1 200", { dripMs: 10 });
    await expect(openTunnel({ ...target, proxy, timeoutMs: 100 })).rejects.toMatchObject({ code: "timeout" });
  });

  it("that lets nothing through is given up in the handshake, too", async () => {
    const { proxy } = await aProxy("HTTP/1.1 200 OK\r\n\r\n");
    const tls = { secureContext: createSecureContext(), rejectUnauthorized: true };
    const env = { HTTPS_PROXY: proxy.href };
    const connector = connectionTo("https://api.example:6443", { timeoutMs: 100, tls, env });
    if (typeof connector !== "function") throw new Error("expected a way through the proxy");
    const outcomes: unknown[] = [];
    await new Promise<void>((resolve) =>
      connector({ hostname: "api.example", port: "6443" }, (...[error]) => {
        outcomes.push(error);
        resolve();
      }),
    );
    expect(outcomes).toMatchObject([{ code: "timeout" }]);
    expect(String(outcomes[0])).not.toContain("p:w");
  });

  it("is given up when the caller gives up, before it or while a proxy is silent", async () => {
    const { proxy } = await aProxy(undefined);
    const long = { ...target, proxy, timeoutMs: 60_000 };
    await expect(openTunnel({ ...long, signal: AbortSignal.abort() })).rejects.toMatchObject({ code: "aborted" });
    const reason = new Fault("timeout", "enough");
    const caller = new AbortController();
    const opening = openTunnel({ ...long, signal: caller.signal });
    caller.abort(reason);
    await expect(opening).rejects.toBe(reason);
    expect(getEventListeners(caller.signal, "abort")).toEqual([]);
  });

  it("through a proxy that is silent, or away, is given up", async () => {
    const { proxy } = await aProxy(undefined);
    await expect(openTunnel({ ...target, proxy, timeoutMs: 50 })).rejects.toMatchObject({ code: "timeout" });
    await expect(openTunnel({ ...target, proxy: new URL("http://127.0.0.1:9") })).rejects.toMatchObject({
      code: "unavailable",
      message: "cannot reach proxy 127.0.0.1:9",
    });
  });
});
