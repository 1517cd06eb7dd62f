// The gateway over real TLS, before a server that tells what it was asked.

import { connect } from "node:tls";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { aClientCertificate } from "../../test/builders/client-certificate.ts";
import { isSignedFor } from "../../test/builders/discovery.ts";
import { aTestCa } from "../../test/builders/tls-pair.ts";
import { callApi, type Received, type Sent } from "../../test/fakes/api-client.ts";
import { CLUSTER_ID, rootsOf, startTestGateway, type TestGateway, valuesOf } from "../../test/fakes/gateway.ts";
import { JWS_HEADER, MAX_SIGNED_BODY_BYTES, signDiscoveryJwt } from "../api/bootstrap/index.ts";

const TOKEN = { id: "abcdef", secret: "0123456789abcdef" };
const OTHER = { id: "fedcba", secret: "fedcba9876543210" };
const CLUSTER_INFO = "/api/v1/namespaces/kube-public/configmaps/cluster-info";
const CSRS = "/apis/certificates.k8s.io/v1/certificatesigningrequests";

let world: TestGateway;
beforeAll(async () => {
  world = await startTestGateway({ tokens: [TOKEN, OTHER] });
});
afterAll(() => world.close());
afterEach(() => {
  world.seen.length = 0;
  world.answer((seen, response) => response.end(JSON.stringify(seen)));
});

const call = (sent: Sent) => callApi(world, sent);
const NOW_MS = Date.now();
/** Always the same one, for each token. */
const jwt = (token = TOKEN) => ({ token: signDiscoveryJwt(token, { nowMs: NOW_MS }) });
const lastSeen = () => {
  const last = world.seen.at(-1);
  if (last === undefined) throw new Error("nothing reached the server behind");
  return last;
};
const isSigned = (answer: Received, as = jwt(), token = TOKEN) => isSignedFor(answer, { token, jwt: as.token });

describe("what passes", () => {
  it("a bearer token goes on unchanged, over a connection that proves nothing", async () => {
    const { status } = await call({ path: "/api/v1/nodes?limit=5", as: { token: "abcdef.0123456789abcdef" } });
    expect(status).toBe(200);
    expect(lastSeen()).toMatchObject({ method: "GET", url: "/api/v1/nodes?limit=5", peer: undefined });
    expect(valuesOf(lastSeen(), "authorization")).toEqual(["Bearer abcdef.0123456789abcdef"]);
  });

  it("a request without a credential goes on as it is", async () => {
    expect((await call({ path: "/version", as: "anonymous" })).status).toBe(200);
    expect(lastSeen().peer).toBeUndefined();
    expect(valuesOf(lastSeen(), "x-remote-user")).toEqual([]);
  });

  it("a client certificate is verified, and its user vouched for with the gateway's own", async () => {
    const groups = ["système", "b"];
    const client = world.clientCa.issueClient("jürgen", groups);
    const utf8 = (text: string) => Buffer.from(text, "utf8").toString("latin1");
    expect((await call({ path: "/x", as: client })).status).toBe(200);
    expect(lastSeen().peer).toBe("front-proxy-client");
    expect(valuesOf(lastSeen(), "x-remote-user")).toEqual([utf8("jürgen")]);
    expect([...valuesOf(lastSeen(), "x-remote-group")].sort()).toEqual(groups.map(utf8).sort());
    const [id] = valuesOf(lastSeen(), "x-remote-extra-authentication.kubernetes.io%2fcredential-id");
    expect(id).toMatch(/^X509SHA256=[0-9a-f]{64}$/);
  });

  it("bodies, statuses and headers, in both directions", async () => {
    world.answer((seen, response) => {
      response.writeHead(
        418,
        [
          ["Set-Cookie", "a=1"],
          ["Set-Cookie", "b=2"],
          ["X-Own", "yes"],
        ].flat(),
      );
      response.end(`got ${seen.body}`);
    });
    const answer = await call({ method: "PATCH", path: "/x", body: "b".repeat(300_000), as: "anonymous" });
    expect(answer.status).toBe(418);
    expect(answer.headers["set-cookie"]).toEqual(["a=1", "b=2"]);
    expect(answer.text).toHaveLength(300_004);
  });

  it("an answer that comes bit by bit is not held back", async () => {
    world.answer((_seen, response) => {
      response.writeHead(200, { "content-type": "application/json" });
      response.write('{"type":"ADDED"}\n');
    });
    const watch = new AbortController();
    const first = await new Promise<string>((resolve, reject) => {
      const socket = connect({ port: world.port, host: "127.0.0.1", ca: world.caPem, signal: watch.signal } as object);
      socket.once("error", reject);
      socket.write("GET /x?watch=true HTTP/1.1\r\nHost: x\r\n\r\n");
      let text = "";
      socket.on("data", (bytes) => {
        text += String(bytes);
        if (text.includes("ADDED")) {
          resolve(text);
          socket.destroy();
        }
      });
    });
    expect(first).toContain("HTTP/1.1 200");
  });
});

describe("a discovery JWT", () => {
  it("becomes a user without rights, and its answer is signed over the exact bytes", async () => {
    const answer = await call({ path: CLUSTER_INFO, as: jwt(), headers: { "accept-encoding": "gzip" } });
    expect(answer.status).toBe(200);
    expect(isSigned(answer)).toBe(true);
    expect(lastSeen().peer).toBe("front-proxy-client");
    expect(valuesOf(lastSeen(), "x-remote-user")).toEqual(["countersign:discovery:abcdef"]);
    expect(valuesOf(lastSeen(), "x-remote-group")).toEqual(["countersign:discovery"]);
    expect(valuesOf(lastSeen(), "authorization")).toEqual([]);
    expect(valuesOf(lastSeen(), "accept-encoding")).toEqual([]);
  });

  it("is signed with the token that it names, refusals of the server behind too", async () => {
    world.answer((_seen, response) => {
      response.statusCode = 404;
      response.end('{"kind":"Status"}');
    });
    const answer = await call({ path: CLUSTER_INFO, as: jwt(OTHER) });
    expect(answer.status).toBe(404);
    expect(isSigned(answer, jwt(OTHER), OTHER)).toBe(true);
    expect(isSigned(answer, jwt(OTHER), TOKEN)).toBe(false);
    expect(isSigned(answer, jwt(), OTHER), "bound to the JWT that asked").toBe(false);
  });

  it("replaces a signature that the server behind claims", async () => {
    world.answer((_seen, response) => {
      response.setHeader(JWS_HEADER, "a..b");
      response.end("{}");
    });
    expect(isSigned(await call({ path: CLUSTER_INFO, as: jwt() }))).toBe(true);
  });

  it("signs an empty body, and one that came in many pieces", async () => {
    world.answer((_seen, response) => response.end());
    expect(isSigned(await call({ path: CLUSTER_INFO, as: jwt() }))).toBe(true);
    world.answer((_seen, response) => {
      for (let at = 0; at < 50; at++) response.write("x".repeat(10_000));
      response.end();
    });
    const answer = await call({ path: CLUSTER_INFO, as: jwt() });
    expect(answer.text).toHaveLength(500_000);
    expect(isSigned(answer)).toBe(true);
  });

  it("does not bring an answer that is too long to be signed", async () => {
    world.answer((_seen, response) => response.end(Buffer.alloc(MAX_SIGNED_BODY_BYTES + 1)));
    const answer = await call({ path: CLUSTER_INFO, as: jwt() });
    expect(answer).toMatchObject({ status: 403, body: { kind: "Status", reason: "Forbidden" } });
    expect(isSigned(answer)).toBe(true);
  });

  it("for this cluster is known, for another passes as a token nobody here knows", async () => {
    const meant = (audience: string) => ({ token: signDiscoveryJwt(TOKEN, { nowMs: Date.now(), audience }) });
    expect((await call({ path: CLUSTER_INFO, as: meant(CLUSTER_ID) })).headers[JWS_HEADER]).toBeDefined();
    expect((await call({ path: CLUSTER_INFO, as: meant("another") })).headers[JWS_HEADER]).toBeUndefined();
    expect(lastSeen().peer).toBeUndefined();
  });

  it.each<[string, Sent]>([
    ["create a certificate request", { method: "POST", path: CSRS, body: {} }],
    ["watch", { path: `${CLUSTER_INFO}?watch=true` }],
    ["read a tenant's object", { path: "/apis/tenant.example/v1/namespaces/kube-public/configs/cluster-info" }],
    ["read another ConfigMap", { path: `${CLUSTER_INFO}x` }],
    ["read another namespace", { path: "/api/v1/namespaces/kube-system/secrets" }],
    ["act as somebody else", { path: CLUSTER_INFO, headers: { "impersonate-user": "admin" } }],
    ["leave the namespace by dots", { path: "/api/v1/namespaces/kube-public/../kube-system/secrets" }],
    ["leave HTTP", { path: CLUSTER_INFO, headers: { connection: "upgrade", upgrade: "websocket" } }],
  ])("that was captured does not %s", async (_what, sent) => {
    const answer = await call({ ...sent, as: jwt() });
    expect(answer).toMatchObject({ status: 403, body: { kind: "Status", code: 403 } });
    expect(answer.headers[JWS_HEADER]).toBeUndefined();
    expect(world.seen).toEqual([]);
  });
});

describe("an attacker", () => {
  const claimed = {
    "X-Remote-User": "admin",
    "x-remote-group": "system:masters",
    "X-REMOTE-UID": "0",
    "X-Remote-Extra-Scopes": "all",
    "X-Remote-Anything": "x",
  };

  it.each<[string, Sent["as"]]>([
    ["no credential", "anonymous"],
    ["a token", { token: "t" }],
    ["a discovery JWT", jwt()],
    ["a certificate", undefined],
  ])("cannot name himself by X-Remote-* headers with %s", async (_what, as) => {
    await call({ path: CLUSTER_INFO, headers: claimed, ...(as === undefined ? {} : { as }) });
    const names = lastSeen()
      .rawHeaders.filter((_text, at) => at % 2 === 0)
      .map((name) => name.toLowerCase());
    expect(names).not.toContain("x-remote-anything");
    expect(names).not.toContain("x-remote-uid");
    expect(names).not.toContain("x-remote-extra-scopes");
    expect(valuesOf(lastSeen(), "x-remote-group")).not.toContain(as === undefined ? "x" : "system:masters");
  });

  it("cannot name his groups by another header that the server behind takes them from", async () => {
    const own = await startTestGateway({ identityHeaders: ["x-webauth-", "x-forwarded-groups"] });
    const headers = { "X-WebAuth-User": "root", "x-forwarded-groups": "system:masters", "x-forwarded-proto": "https" };
    await callApi(own, { path: "/x", headers });
    const seen = own.seen.at(-1) ?? { rawHeaders: [] };
    expect(["x-webauth-user", "x-forwarded-groups"].flatMap((name) => valuesOf(seen, name))).toEqual([]);
    expect(valuesOf(seen, "x-forwarded-proto")).toEqual(["https"]);
    expect(valuesOf(seen, "x-remote-user")).toEqual(["admin"]);
    await own.close();
  });

  it("cannot have the gateway's own identity headers dropped by naming them in Connection", async () => {
    const headers = { connection: "close, X-Remote-User, X-Remote-Group, X-Own", "x-own": "1" };
    await call({ path: "/x", headers });
    expect(valuesOf(lastSeen(), "x-remote-user")).toEqual(["admin"]);
    expect(valuesOf(lastSeen(), "x-own")).toEqual([]);
  });

  it.each<[string, { user: string; groups?: string[] }]>([
    ["a line break in the name", { user: "x\r\nX-Remote-Group: system:masters" }],
    ["a space before the name", { user: " admin" }],
    ["a space after a group", { user: "x", groups: ["system:masters "] }],
    ["a null in the name", { user: "admin\u0000" }],
  ])("cannot use a certificate with %s", async (_what, subject) => {
    const client = aClientCertificate({ caPem: world.clientCa.certPem, caKeyPem: world.clientCa.keyPem }, subject);
    expect(await call({ path: "/x", as: client })).toMatchObject({ status: 401, body: { message: "Unauthorized" } });
    expect(world.seen).toEqual([]);
  });

  it("cannot use a certificate of another CA, or one that is over; a token beside it still counts", async () => {
    const stranger = aTestCa("clients").issueClient("admin", ["system:masters"]);
    const expired = aClientCertificate(
      { caPem: world.clientCa.certPem, caKeyPem: world.clientCa.keyPem },
      { user: "admin", lifetimeMs: -60_000 },
    );
    for (const as of [stranger, expired]) {
      expect((await call({ path: "/version", as })).status).toBe(401);
      const headers = { authorization: "Bearer t" };
      expect((await call({ path: "/version", as, headers })).status).toBe(200);
      expect(lastSeen().peer).toBeUndefined();
    }
  });

  it("cannot reach the trusted connection after a refused upgrade", async () => {
    const answer = await raw(
      "GET /refuse HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: echo/1\r\n\r\n",
      "GET /second HTTP/1.1\r\nHost: x\r\nX-Remote-User: admin\r\n\r\n",
    );
    expect(answer).toContain("403 Forbidden");
    expect(world.seen.map(({ url }) => url)).toEqual(["/refuse"]);
  });

  it("cannot smuggle a second request in a body with two lengths", async () => {
    const answer = await raw(
      "POST /x HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\nGET " +
        "/y HTTP/1.1\r\nHost: x\r\n\r\n",
    );
    expect(answer).toMatch(/^HTTP\/1\.1 400/);
    expect(world.seen).toEqual([]);
  });
});

describe("an upgrade", () => {
  it("ties the two sides together, bytes before the answer included", async () => {
    const head =
      "GET /exec HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: echo/1\r\nX-Own: 1\r\n" +
      "X-Remote-User: admin\r\n\r\nearly";
    const answer = await raw(head, "later", "echo:later");
    expect(answer).toContain("101 Switching Protocols");
    expect(answer.toLowerCase()).toContain("upgrade: echo/1");
    expect(answer).toContain("echo:early");
    expect(answer).toContain("echo:later");
    // Our side was closed first; what the server says to that still comes.
    expect(answer).toMatch(/bye$/);
    expect(lastSeen().peer).toBe("front-proxy-client");
    expect(valuesOf(lastSeen(), "x-remote-user")).toEqual(["admin"]);
    expect(valuesOf(lastSeen(), "x-own")).toEqual(["1"]);
  });
});

/**
 * Sends bytes with the administrator's certificate, the rest after the first answer, and reads until the end or
 * `until`.
 */
function raw(first: string, second = "", until?: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect({
      ...{ port: world.port, host: "127.0.0.1", ca: world.caPem },
      ...{ cert: world.adminCertPem, key: world.adminKeyPem },
    });
    let text = "";
    socket.write(first);
    socket.on("data", (bytes) => {
      if (text === "" && second !== "") socket.write(second);
      text += String(bytes);
      if (until !== undefined && text.includes(until)) socket.end();
    });
    socket.on("close", () => resolve(text));
    socket.on("error", (error) => (text === "" ? reject(error) : resolve(text)));
  });
}

describe("when the server behind", () => {
  let own: TestGateway;
  beforeAll(async () => {
    own = await startTestGateway({ tokens: [TOKEN] });
  });
  afterAll(() => own.close());

  it("breaks off in the middle, the client sees a broken answer and not a short one", async () => {
    own.answer((_seen, response) => {
      response.writeHead(200, { "content-length": "100" });
      response.write("half");
      setTimeout(() => response.destroy(), 20);
    });
    await expect(callApi(own, { path: "/x", as: "anonymous" })).rejects.toThrow();
    const signed = await callApi(own, { path: CLUSTER_INFO, as: jwt() });
    expect(signed.status).toBe(502);
  });

  it("is gone, the client is told so with a Status and when to come back", async () => {
    await own.endBackend();
    const answer = await callApi(own, { path: "/x", as: "anonymous" });
    expect(answer).toMatchObject({ status: 503, body: { kind: "Status", reason: "ServiceUnavailable", code: 503 } });
    expect(answer.headers["retry-after"]).toBe("1");
    expect(own.metrics.expose()).toContain("countersign_gateway_backend_failures_total{code=");
    const headers = { connection: "upgrade", upgrade: "echo/1" };
    expect((await callApi(own, { path: "/x", as: "anonymous", headers })).status).toBe(503);
  });
});

describe("certificates change while it runs", () => {
  it("another client CA counts from the next request on, on open connections too", async () => {
    const own = await startTestGateway();
    const next = aTestCa("next");
    const newcomer = next.issueClient("newcomer");
    expect((await callApi(own, { path: "/x", as: newcomer })).status).toBe(401);
    await own.gateway.use({ ...own.material, clientRoots: rootsOf(next.certPem) });
    expect((await callApi(own, { path: "/x", as: newcomer })).status).toBe(200);
    expect((await callApi(own, { path: "/x" })).status).toBe(401);
    expect(own.metrics.expose()).toContain("countersign_gateway_certificate_reloads_total 1");
    await own.close();
  });

  it("a pair that cannot be used changes nothing", async () => {
    const own = await startTestGateway();
    const broken = { ...own.material, frontProxy: { certPem: "x", keyPem: "y" } };
    await expect(own.gateway.use(broken)).rejects.toMatchObject({ code: "bad-config" });
    expect((await callApi(own, { path: "/x" })).status).toBe(200);
    await own.close();
  });
});

describe("a gateway that may speak for nobody", () => {
  it("refuses client certificates and hands discovery JWTs on as they are, signed all the same", async () => {
    const material = { clientRoots: undefined, frontProxy: undefined };
    const own = await startTestGateway({ tokens: [TOKEN], material });
    expect((await callApi(own, { path: "/x" })).status).toBe(401);
    const shown = jwt();
    const answer = await callApi(own, { path: CLUSTER_INFO, as: shown });
    expect(isSigned(answer)).toBe(true);
    expect(valuesOf(own.seen.at(-1) ?? { rawHeaders: [] }, "authorization")).toEqual([`Bearer ${shown.token}`]);
    await own.close();
  });
});

describe("the TokenReview webhook", () => {
  let own: TestGateway;
  beforeAll(async () => {
    own = await startTestGateway({ tokens: [TOKEN], webhook: true });
  });
  afterAll(() => own.close());
  const review = (token: unknown, more: Partial<Sent> = {}, apiVersion = "authentication.k8s.io/v1") =>
    callApi(
      { ...own, port: own.gateway.webhookPort ?? 0 },
      {
        method: "POST",
        path: "/authenticate?timeout=30s",
        body: { apiVersion, kind: "TokenReview", spec: { token } },
        ...more,
      },
    );

  it.each(["authentication.k8s.io/v1", "authentication.k8s.io/v1beta1"])(
    "knows discovery JWTs, in %s",
    async (version) => {
      const { status, body } = await review(jwt().token, {}, version);
      expect(status).toBe(200);
      expect(body).toMatchObject({ apiVersion: version, kind: "TokenReview" });
      expect(body.status).toEqual({
        authenticated: true,
        user: { username: "countersign:discovery:abcdef", groups: ["countersign:discovery"] },
      });
    },
  );

  it("knows nothing else: not the token, not an expired JWT, not junk", async () => {
    const old = signDiscoveryJwt(TOKEN, { nowMs: Date.now() - 75_000 });
    for (const token of [`${TOKEN.id}.${TOKEN.secret}`, old, "", "x"]) {
      expect((await review(token)).body.status).toEqual({ authenticated: false });
    }
  });

  it("is asked by those it knows only, and only what it is for", async () => {
    expect((await review(jwt().token, { as: "anonymous" })).status).toBe(401);
    expect((await review(jwt().token, { path: "/api/v1/nodes" })).status).toBe(403);
    expect((await review(jwt().token, { method: "GET" })).status).toBe(403);
    expect((await review(7)).status).toBe(400);
    expect((await review("x", { body: "{" })).status).toBe(400);
    expect((await review("x".repeat(40_000))).status).toBe(400);
  });
});
