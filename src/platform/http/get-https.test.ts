import { getEventListeners } from "node:events";
import { type AddressInfo, createServer } from "node:net";
import { afterEach, describe, expect, it } from "vitest";
import { aTestCa } from "../../../test/builders/tls-pair.ts";
import { aLeaf, anIntermediate, aRoot } from "../../../test/builders/x509.ts";
import { type Handler, startTestServer, type TestServer } from "../../../test/fakes/https-server.ts";
import { encodePem } from "../../kernel/pem/index.ts";
import { subjectAltNameExtension } from "../../kernel/x509/index.ts";
import { getHttps, type HttpsGet } from "./get-https.ts";

const ca = aTestCa();
const servers: TestServer[] = [];
afterEach(async () => {
  await Promise.all(servers.splice(0).map((server) => server.close()));
});

async function get(handler: Handler, change: Partial<HttpsGet> = {}, authority = ca) {
  const server = await startTestServer(handler, authority);
  servers.push(server);
  const limits = { timeoutMs: 5_000, maxBytes: 1_000 };
  return await getHttps({ url: `${server.url}/a?b=c`, trust: { caPem: ca.certPem }, ...limits, ...change });
}

describe("one GET", () => {
  it("gives status, headers and the exact bytes, which it asks not to be packed", async () => {
    const bytes = Buffer.from([0xef, 0xbb, 0xbf, 0, 255, 13, 10]);
    const answer = await get((request, response) => {
      response.writeHead(418, { "x-a": "1", "x-path": request.url, "x-packing": request.headers["accept-encoding"] });
      response.end(bytes);
    });
    expect(answer).toMatchObject({ status: 418, headers: { "x-a": "1", "x-path": "/a?b=c", "x-packing": "identity" } });
    expect(Buffer.from(answer.body)).toEqual(bytes);
  });

  it("leaves a packed body packed", async () => {
    const answer = await get((_request, response) => {
      response.writeHead(200, { "content-encoding": "gzip" }).end("not really");
    });
    expect(Buffer.from(answer.body).toString()).toBe("not really");
  });

  it("does not follow a redirect", async () => {
    const answer = await get((_request, response) =>
      response.writeHead(302, { location: "https://127.0.0.1:1" }).end(),
    );
    expect(answer).toMatchObject({ status: 302, headers: { location: "https://127.0.0.1:1" } });
  });

  it("sends what it is told, on a connection of its own each time", async () => {
    const seen: string[] = [];
    const handler: Handler = (request, response) => {
      seen.push(`${request.headers.authorization} ${request.socket.remotePort}`);
      response.end();
    };
    await get(handler, { headers: { authorization: "Bearer x" } });
    await get(handler, { headers: { authorization: "Bearer x" } });
    expect(new Set(seen).size).toBe(2);
    expect(seen[0]).toMatch(/^Bearer x /);
  });

  const ok: Handler = (_request, response) => response.end("ok");

  it("trusts the given roots only, or on request whoever answers", async () => {
    await expect(get(ok, {}, aTestCa("other"))).rejects.toMatchObject({ code: "untrusted" });
    expect(await get(ok, { trust: { anybody: true } }, aTestCa("other"))).toMatchObject({ status: 200 });
    expect(await get(ok, { tlsServerName: "localhost" })).toMatchObject({ status: 200 });
    await expect(get(ok, { tlsServerName: "elsewhere.example" })).rejects.toMatchObject({ code: "untrusted" });
  });

  it("trusts a CA in the list that did not sign itself, as Go does", async () => {
    const nowMs = Date.now();
    const validity = { notBeforeMs: nowMs - 60_000, notAfterMs: nowMs + 3_600_000 };
    const middle = anIntermediate(aRoot(validity), validity);
    const leaf = aLeaf(middle, { ...validity, extensions: [subjectAltNameExtension({ ipAddresses: ["127.0.0.1"] })] });
    const pair = { certPem: encodePem("CERTIFICATE", leaf.certificate.raw), keyPem: leaf.key.encodePem() };
    const middlePem = encodePem("CERTIFICATE", middle.certificate.raw);
    const authority = { ...ca, issueServing: () => pair };
    expect(await get(ok, { trust: { caPem: middlePem } }, authority)).toMatchObject({ status: 200 });
  });

  const refused: Record<string, [Handler, Partial<HttpsGet>, string]> = {
    "an answer that is too long": [(_request, response) => response.end("x".repeat(2_000)), {}, "limit-exceeded"],
    "an answer that does not come": [() => undefined, { timeoutMs: 50 }, "timeout"],
    "a caller who gives up": [() => undefined, { signal: AbortSignal.timeout(20) }, "aborted"],
    "a connection that breaks": [(request) => request.socket.destroy(), {}, "unavailable"],
    "a plain http address": [ok, { url: "http://127.0.0.1/" }, "bad-config"],
    "a CA that is none": [ok, { trust: { caPem: "-----BEGIN CERTIFICATE-----" } }, "untrusted"],
    "a server that is not there": [ok, { url: "https://127.0.0.1:1/" }, "unavailable"],
  };
  for (const [sentence, [handler, change, code]] of Object.entries(refused)) {
    it(`ends in a fault with ${sentence}`, () => expect(get(handler, change)).rejects.toMatchObject({ code }));
  }

  it("is given up when the caller gives up, though no handshake has ended", async () => {
    const caller = new AbortController();
    const silent = createServer((socket) => {
      socket.on("error", () => undefined);
      caller.abort();
    });
    await new Promise<void>((resolve) => silent.listen(0, "127.0.0.1", resolve));
    const url = `https://127.0.0.1:${(silent.address() as AddressInfo).port}/`;
    const limits = { timeoutMs: 60_000, maxBytes: 1_000 };
    const asking = getHttps({ url, trust: { caPem: ca.certPem }, ...limits, signal: caller.signal });
    await expect(asking).rejects.toMatchObject({ code: "aborted" });
    await new Promise((resolve) => silent.close(resolve));
  });

  const endings: Record<string, Partial<HttpsGet>> = {
    "after an answer": {},
    "after a server that is not trusted": { tlsServerName: "elsewhere.example" },
    "after a proxy that cannot be used": { url: "https://api.example/", env: { HTTPS_PROXY: "socks5://proxy" } },
  };
  it.each(Object.entries(endings))("leaves no deadline behind %s", async (_, change) => {
    const caller = new AbortController();
    await get(ok, { signal: caller.signal, ...change }).catch(() => undefined);
    // The deadline's timer and its ear at the caller's signal are taken off together.
    expect(getEventListeners(caller.signal, "abort")).toEqual([]);
  });
});
