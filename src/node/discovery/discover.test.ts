// The honest ways, against servers that say what a test tells them; the dishonest ones are in token/attacker.test.ts.

import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import type { IncomingMessage } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, describe, expect, it } from "vitest";
import {
  aClusterInfo,
  aDocument,
  answerStatus,
  bearerOf,
  CLUSTER_ID,
  plainServer,
  signingServer,
  TOKEN,
} from "../../../test/builders/discovery.ts";
import { aTestCa, type TestCa } from "../../../test/builders/tls-pair.ts";
import { createManualClock } from "../../../test/fakes/clock.ts";
import { type Handler, startTestServer, type TestServer } from "../../../test/fakes/https-server.ts";
import { parseHs256Jwt } from "../../kernel/jose/index.ts";
import { isFault } from "../../kernel/outcome/index.ts";
import { readCertificates } from "../../kernel/x509/index.ts";
import { discover } from "./discover.ts";
import type { DiscoveryMethod } from "./method.ts";
import { caPinOf } from "./roots.ts";
import type { DiscoverDeps } from "./wait.ts";

const PATH = "/api/v1/namespaces/kube-public/configmaps/cluster-info";
const ca = aTestCa();
const directory = mkdtempSync(join(tmpdir(), "discover-"));
const servers: TestServer[] = [];
afterEach(async () => {
  await Promise.all(servers.splice(0).map((server) => server.close()));
});
afterAll(() => rmSync(directory, { recursive: true }));

async function serve(handler: Handler, authority: TestCa = ca) {
  const requests: IncomingMessage[] = [];
  const server = await startTestServer((request, response) => {
    requests.push(request);
    handler(request, response);
  }, authority);
  servers.push(server);
  return { url: server.url, requests, handle: server.handle };
}

function save(name: string, text: string): string {
  const path = join(directory, name);
  writeFileSync(path, text);
  return path;
}

function start(method: DiscoveryMethod, deps: Partial<DiscoverDeps> = {}) {
  const clock = createManualClock(Date.now());
  const waited: string[] = [];
  const told: string[] = [];
  const promise = discover(method, {
    clock,
    env: {},
    onWaiting: (why) => waited.push(why),
    onDiscovered: (server) => told.push(server),
    ...deps,
  });
  promise.catch(() => undefined);
  return { clock, waited, told, promise };
}

async function failure(promise: Promise<unknown>) {
  const error = await promise.then(
    () => expect.fail("it should have failed"),
    (thrown: unknown) => thrown,
  );
  if (!isFault(error)) throw error;
  expect(`${error.message} ${JSON.stringify(error.detail)}`).not.toContain(TOKEN.secret);
  return error;
}

const byToken = (address: string, more: object = {}): DiscoveryMethod => ({
  kind: "token",
  addresses: [address],
  token: TOKEN,
  caPins: [],
  ...more,
});
const byFile = (path: string, more: object = {}): DiscoveryMethod => ({
  kind: "file",
  path,
  withCredentials: false,
  caPins: [],
  ...more,
});
const byUrl = (url: string, more: object = {}): DiscoveryMethod => ({
  kind: "url",
  url,
  withCredentials: false,
  caPins: [],
  ...more,
});

const document = aDocument({ server: "https://cluster.example:6443", caPem: ca.certPem });
const status =
  (code: number, reason: string): Handler =>
  (_request, response) =>
    answerStatus(response, code, reason);

describe("discovery by token", () => {
  it("shows a short-lived JWT, and takes an answer that the token signed", async () => {
    const { url, requests } = await serve(signingServer(aClusterInfo(document, [])));
    const { promise, told } = start(byToken(url));
    expect(await promise).toMatchObject({ server: "https://cluster.example:6443", caPem: ca.certPem });
    expect(told).toEqual(["https://cluster.example:6443"]);
    expect(requests.map(({ method, url: path }) => `${method} ${path}`)).toEqual([`GET ${PATH}`, `GET ${PATH}`]);
    for (const request of requests) {
      const { keyId, claims } = parseHs256Jwt(bearerOf(request) ?? "");
      expect({ keyId, claims }).toEqual({
        keyId: "ae23dc",
        claims: {
          sub: "ae23dc",
          iat: expect.any(Number) as number,
          exp: expect.any(Number) as number,
          jti: expect.stringMatching(/^[\w-]{22}$/) as string,
        },
      });
      expect(Number(claims["exp"]) - Number(claims["iat"])).toBeLessThanOrEqual(120);
    }
  });

  it("names the cluster in the JWT when its id is known", async () => {
    const known = aDocument({ server: "https://cluster.example:6443", caPem: ca.certPem, clusterId: CLUSTER_ID });
    const { url, requests } = await serve(signingServer(aClusterInfo(known)));
    expect(await start(byToken(url, { clusterId: CLUSTER_ID })).promise).toMatchObject({ clusterId: CLUSTER_ID });
    expect(parseHs256Jwt(bearerOf(requests[0] as IncomingMessage) ?? "").claims["aud"]).toBe(CLUSTER_ID);
  });

  for (const [code, reason] of [
    [401, "Unauthorized"],
    [403, "Forbidden"],
  ] as const) {
    it(`asks as a stranger after ${code}, and takes a document that the token signed`, async () => {
      const strangers = plainServer(aClusterInfo(document));
      const { url, requests } = await serve((request, response) => {
        if (bearerOf(request) === undefined) strangers(request, response);
        else answerStatus(response, code, reason);
      });
      expect(await start(byToken(url)).promise).toMatchObject({ caPem: ca.certPem });
      expect(requests.map((request) => bearerOf(request) !== undefined)).toEqual([true, false, true, false]);
    });
  }

  it("holds the pins in both ways", async () => {
    const [root] = readCertificates(ca.certPem);
    if (root === undefined) expect.unreachable("the CA is a certificate");
    for (const handler of [signingServer(aClusterInfo(document)), plainServer(aClusterInfo(document))]) {
      const { url } = await serve(handler);
      const found = await start(byToken(url, { caPins: [caPinOf(root)] })).promise;
      expect(found.anchorsPem).toBe(ca.certPem);
    }
  });

  it("tries its addresses in order, and goes on to the next when one is down or is refused", async () => {
    const down = await startTestServer((_request, response) => response.end());
    await down.close();
    const foreign = await serve(plainServer(aClusterInfo(document)), aTestCa("foreign"));
    const good = await serve(plainServer(aClusterInfo(document)));
    const { promise } = start(byToken("", { addresses: [down.url, foreign.url, good.url] }));
    expect(await promise).toMatchObject({ caPem: ca.certPem });
    expect(foreign.requests.length).toBeGreaterThan(0);
  });

  it("goes to the first of the document's addresses that answers", async () => {
    const down = await startTestServer((_request, response) => response.end());
    await down.close();
    const foreign = await serve(status(200, "mine"), aTestCa("foreign"));
    const good = await serve(status(403, "Forbidden"));
    const several = aDocument({ server: down.url, caPem: ca.certPem, servers: [down.url, foreign.url, good.url] });
    const { url } = await serve(signingServer(aClusterInfo(several)));
    expect(await start(byToken(url)).promise).toMatchObject({
      server: good.url,
      servers: [down.url, foreign.url, good.url],
    });
  });

  it("without CA data asks the machine's roots", async () => {
    const open = aDocument({ server: "https://cluster.example:6443", caPem: "" });
    const { url } = await serve(signingServer(aClusterInfo(open)));
    const env = { SSL_CERT_FILE: save("roots.pem", ca.certPem) };
    const found = await start(byToken(url), { env }).promise;
    expect(found).toMatchObject({ usesSystemRoots: true, documentCaPem: "" });
    expect(found.caPem).toContain(ca.certPem.trim());
    const other = { SSL_CERT_FILE: save("other.pem", aTestCa("other").certPem) };
    expect(await failure(start(byToken(url), { env: other }).promise)).toMatchObject({ code: "untrusted" });
  });

  it("waits for a signature that has not come", async () => {
    const server = await serve(plainServer(aClusterInfo(document, [])));
    const { clock, waited, promise } = start(byToken(server.url));
    await clock.untilSleeping();
    expect(waited).toEqual([expect.stringContaining("no signature of token ae23dc yet")]);
    server.handle(plainServer(aClusterInfo(document)));
    await clock.advance(5_000);
    await expect(promise).resolves.toMatchObject({ caPem: ca.certPem });
  });

  for (const [sentence, handler] of Object.entries<Handler>({
    "whose role for cluster-info is not bound": status(403, "Forbidden"),
    "without a cluster-info": status(404, "NotFound"),
    "that is overloaded": status(429, "TooManyRequests"),
    "behind a proxy that has no upstream": (_request, response) => response.writeHead(503).end("try later"),
    "that drops the connection in the middle": (_request, response) => {
      response.writeHead(200, { "content-length": "1000" });
      response.write("{");
      response.destroy();
    },
  })) {
    it(`waits for a server ${sentence}`, async () => {
      const server = await serve(handler);
      const { clock, waited, promise } = start(byToken(server.url));
      await clock.untilSleeping();
      expect(waited).toHaveLength(1);
      server.handle(signingServer(aClusterInfo(document)));
      await clock.advance(5_000);
      await expect(promise).resolves.toMatchObject({ caPem: ca.certPem });
    });
  }

  it("waits for a server that is not up, and says after the limit what it waited for", async () => {
    const server = await startTestServer((_request, response) => response.end());
    await server.close();
    const { clock, waited, promise } = start(byToken(server.url), { limitMs: 12_000 });
    const pausesMs = [250, 500, 1_000, 2_000, 4_000];
    for (const pauseMs of pausesMs) {
      await clock.untilSleeping();
      await clock.advance(pauseMs);
    }
    expect(await failure(promise)).toMatchObject({
      code: "timeout",
      message: expect.stringContaining("no connection"),
    });
    expect(waited).toHaveLength(pausesMs.length);
  });

  it("stops when it is told to", async () => {
    const stop = new AbortController();
    const { url } = await serve(status(404, "NotFound"));
    const { clock, promise } = start(byToken(url), { signal: stop.signal });
    await clock.untilSleeping();
    stop.abort();
    expect((await failure(promise)).code).toBe("aborted");
  });
});

describe("discovery by file", () => {
  it("asks whether the cluster is there, and takes a refusal for a yes", async () => {
    for (const handler of [plainServer(aClusterInfo(document)), status(403, "Forbidden"), status(404, "NotFound")]) {
      const { url, requests } = await serve(handler);
      const path = save("file.yaml", aDocument({ server: url, caPem: ca.certPem }));
      expect(await start(byFile(path)).promise).toMatchObject({ server: url, caPem: ca.certPem });
      expect(bearerOf(requests[0] as IncomingMessage)).toBeUndefined();
    }
  });

  it("reads standard input once, also when it has to wait", async () => {
    const server = await serve(status(503, "ServiceUnavailable"));
    let readings = 0;
    const readStdin = async () => {
      readings += 1;
      return aDocument({ server: server.url, caPem: ca.certPem });
    };
    const { clock, promise } = start(byFile("-"), { readStdin });
    await clock.untilSleeping();
    server.handle(status(403, "Forbidden"));
    await clock.advance(1_000);
    expect(await promise).toMatchObject({ server: server.url });
    expect(readings).toBe(1);
  });

  it("finds a CA file beside the document, and an identity that was asked for", async () => {
    const { url } = await serve(status(403, "Forbidden"));
    save("ca.crt", ca.certPem);
    const text = `clusters: [{name: "", cluster: {server: "${url}", certificate-authority: ca.crt}}]
users: [{name: u, user: {client-certificate: c.pem, client-key: c.pem}}]
contexts: [{name: x, context: {cluster: "", user: u}}]
current-context: x
`;
    const found = await start(byFile(save("with-ca.yaml", text), { withCredentials: true })).promise;
    expect(found).toMatchObject({ caPem: ca.certPem, user: { "client-key": join(directory, "c.pem") } });
  });

  it("without CA data takes the cluster's own CA, when that vouches for the address, else the machine's roots", async () => {
    const env = { SSL_CERT_FILE: save("machine.pem", ca.certPem) };
    const own = await serve((request, response) =>
      plainServer(aClusterInfo(aDocument({ server: own.url, caPem: ca.certPem })))(request, response),
    );
    const path = save("open.yaml", aDocument({ server: own.url, caPem: "" }));
    expect(await start(byFile(path), { env }).promise).toMatchObject({ usesSystemRoots: false, caPem: ca.certPem });
    const elsewhere = aTestCa("inside").certPem;
    own.handle(plainServer(aClusterInfo(aDocument({ server: own.url, caPem: elsewhere }))));
    expect(await start(byFile(path), { env }).promise).toMatchObject({ usesSystemRoots: true, documentCaPem: "" });
  });

  it("fails over in the order of the document, and refuses a server that none of its roots vouches for", async () => {
    const foreign = await serve(status(403, "Forbidden"), aTestCa("foreign"));
    const good = await serve(status(403, "Forbidden"));
    const both = aDocument({ server: foreign.url, caPem: ca.certPem, servers: [foreign.url, good.url] });
    expect(await start(byFile(save("both.yaml", both))).promise).toMatchObject({ server: good.url });
    const one = save("one.yaml", aDocument({ server: foreign.url, caPem: ca.certPem }));
    expect(await failure(start(byFile(one)).promise)).toMatchObject({ detail: { check: "server-is-vouched-for" } });
  });

  it("refuses a file that is not there, is too long, or is a person's own", async () => {
    expect(await failure(start(byFile(join(directory, "nowhere"))).promise)).toMatchObject({ code: "not-found" });
    const long = save("long.yaml", " ".repeat(600_000));
    expect(await failure(start(byFile(long)).promise)).toMatchObject({ code: "limit-exceeded" });
    const own = save("own.yaml", document.replace("users: null", "users: [{name: u, user: {token: hunter2}}]"));
    const refused = await failure(start(byFile(own)).promise);
    expect(refused).toMatchObject({ code: "untrusted", detail: { check: "document-carries-no-credentials" } });
    expect(refused.message).not.toContain("hunter2");
    expect(await failure(start(byFile("-")).promise)).toMatchObject({ code: "bad-config" });
  });
});

describe("discovery by URL", () => {
  const machine = aTestCa("machine-root");
  const env = { SSL_CERT_FILE: join(directory, "machine-root.pem") };
  writeFileSync(env.SSL_CERT_FILE, machine.certPem);

  async function host(handler: Handler) {
    return await serve(handler, machine);
  }

  async function aCluster() {
    const { url } = await serve(status(403, "Forbidden"));
    return { url, text: aDocument({ server: url, caPem: ca.certPem }) };
  }

  it("reads the document from a host that the machine's roots vouch for", async () => {
    const cluster = await aCluster();
    const store = await host((_request, response) => response.end(cluster.text));
    expect(await start(byUrl(`${store.url}/my.yaml?v=1`), { env }).promise).toMatchObject({ server: cluster.url });
    expect(store.requests[0]?.url).toBe("/my.yaml?v=1");
    const unknown = { SSL_CERT_FILE: save("unknown.pem", ca.certPem) };
    expect(await failure(start(byUrl(store.url), { env: unknown }).promise)).toMatchObject({ code: "untrusted" });
  });

  it("sends the headers of the file, but not to another host", async () => {
    const cluster = await aCluster();
    const second = await host((_request, response) => response.end(cluster.text));
    const first = await host((_request, response) => response.writeHead(302, { location: second.url }).end());
    const headerFile = save("headers", "Authorization: Bearer hunter2\n");
    expect(await start(byUrl(first.url, { headerFile }), { env }).promise).toMatchObject({ server: cluster.url });
    expect(first.requests[0]?.headers.authorization).toBe("Bearer hunter2");
    expect(second.requests[0]?.headers.authorization).toBeUndefined();
  });

  it("follows a redirect within the host with the headers, to http never, and not for ever", async () => {
    const cluster = await aCluster();
    const headerFile = save("headers2", "X-Key: hunter2\n");
    const store = await host((request, response) => {
      if (request.url === "/there") response.end(request.headers["x-key"] === "hunter2" ? cluster.text : "");
      else response.writeHead(301, { location: "/there" }).end();
    });
    expect(await start(byUrl(store.url, { headerFile }), { env }).promise).toMatchObject({ server: cluster.url });
    store.handle((_request, response) => response.writeHead(302, { location: "http://127.0.0.1/" }).end());
    expect((await failure(start(byUrl(store.url), { env }).promise)).message).toContain("is not https");
    store.handle((_request, response) => response.writeHead(302, { location: "/again" }).end());
    expect((await failure(start(byUrl(store.url), { env }).promise)).message).toContain("more than 5 times");
  });

  it("says that a header is missing, at once", async () => {
    const store = await host(status(401, "Unauthorized"));
    expect((await failure(start(byUrl(store.url), { env }).promise)).message).toContain("--cluster-info-header-file");
    expect(store.requests).toHaveLength(1);
  });

  it("waits for a document that is not there yet", async () => {
    const cluster = await aCluster();
    const store = await host(status(404, "NotFound"));
    const { clock, promise } = start(byUrl(store.url), { env });
    await clock.untilSleeping();
    store.handle((_request, response) => response.end(cluster.text));
    await clock.advance(1_000);
    expect(await promise).toMatchObject({ server: cluster.url });
  });
});
