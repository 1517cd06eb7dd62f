import { setImmediate as nextTurn } from "node:timers/promises";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { aTestCa, type TestCa } from "../../../test/builders/tls-pair.ts";
import { answerJson, peerName, startTestServer, type TestServer } from "../../../test/fakes/https-server.ts";
import { CONFIG_MAPS, CSRS, type KubeObject, NODES } from "../../api/meta/index.ts";
import { Fault } from "../../kernel/outcome/index.ts";
import type { KubeClient } from "./client.ts";
import type { Credentials } from "./connection/credentials.ts";
import { createKubeClient } from "./create-client.ts";

let ca: TestCa;
let server: TestServer;
let client: KubeClient;
let credentials: Credentials = {};
const seen: {
  method: string;
  url: string;
  contentType: string | undefined;
  authorization: string | undefined;
  body: string;
}[] = [];

beforeAll(async () => {
  ca = aTestCa();
  server = await startTestServer((_request, response) => response.end(), ca);
});
afterAll(() => server.close());
beforeEach(async () => {
  await server.untilConnections(0);
  credentials = {};
  seen.length = 0;
  client = createKubeClient({ server: server.url, caPem: ca.certPem, credentials: () => credentials });
});
afterEach(() => client.close());

function node(name: string): KubeObject {
  return { apiVersion: "v1", kind: "Node", metadata: { name } };
}

/** Answers every request with its own object and notes it. */
function echo(answer: unknown = node("a"), status = 200): void {
  server.handle((request, response) => {
    let body = "";
    request.on("data", (chunk: Buffer) => {
      body += chunk.toString("utf8");
    });
    request.on("end", () => {
      const { "content-type": contentType, authorization } = request.headers;
      seen.push({ method: request.method ?? "", url: request.url ?? "", contentType, authorization, body });
      answerJson(response, status, answer);
    });
  });
}

async function collect<T>(events: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const event of events) all.push(event);
  return all;
}

describe("requests", () => {
  it("are the verbs of the API: method, path, query and content type", async () => {
    echo();
    await client.get(CSRS, { name: "csr-1" });
    await client.create(CONFIG_MAPS, { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "c", namespace: "n" } });
    await client.update(CSRS, { ...node("csr-1") }, { subresource: "approval" });
    await client.patch(NODES, { name: "a", subresource: "status" }, { status: {} }, { type: "strategic" });
    await client.patch(NODES, { name: "a" }, node("a"), { type: "apply", fieldManager: "us", force: true });
    await client.delete(NODES, { name: "a" }, { uid: "u-1" });
    expect(seen.map(({ method, url, contentType }) => [method, url, contentType])).toEqual([
      ["GET", "/apis/certificates.k8s.io/v1/certificatesigningrequests/csr-1", undefined],
      ["POST", "/api/v1/namespaces/n/configmaps", "application/json"],
      ["PUT", "/apis/certificates.k8s.io/v1/certificatesigningrequests/csr-1/approval", "application/json"],
      ["PATCH", "/api/v1/nodes/a/status", "application/strategic-merge-patch+json"],
      ["PATCH", "/api/v1/nodes/a?fieldManager=us&force=true", "application/apply-patch+yaml"],
      ["DELETE", "/api/v1/nodes/a", "application/json"],
    ]);
    expect(JSON.parse(seen.at(-1)?.body ?? "")).toMatchObject({ kind: "DeleteOptions", preconditions: { uid: "u-1" } });
  });

  it("carry selectors and paging, escaped", async () => {
    echo({ kind: "NodeList", apiVersion: "v1", metadata: {}, items: [] });
    await client.list(NODES, { labelSelector: "a in (b,c)", limit: 2, continue: "t=" });
    expect(seen[0]?.url).toBe("/api/v1/nodes?labelSelector=a+in+%28b%2Cc%29&limit=2&continue=t%3D");
  });

  it("get kind and apiVersion back in the items of a list, which servers leave out", async () => {
    echo({
      kind: "NodeList",
      apiVersion: "v1",
      metadata: { resourceVersion: "5" },
      items: [{ metadata: { name: "a" } }],
    });
    const list = await client.list(NODES);
    expect(list.items).toEqual([node("a")]);
  });

  it("go below the path of the server's URL", async () => {
    echo();
    const below = createKubeClient({ server: `${server.url}/k8s/c-1/`, caPem: ca.certPem, credentials: () => ({}) });
    await below.get(NODES, { name: "a" });
    await below.close();
    expect(seen[0]?.url).toBe("/k8s/c-1/api/v1/nodes/a");
  });

  it("of raw kind give status and body, without judging them", async () => {
    echo({ no: "thing" }, 500);
    const { status, body } = await client.raw("GET", "/version");
    expect([status, body.toString()]).toEqual([500, '{"no":"thing"}']);
  });
});

describe("failures", () => {
  const table: Record<
    string,
    { answer: (response: import("node:http").ServerResponse) => void; code: string; message: RegExp }
  > = {
    "a Status body speaks by its reason": {
      answer: (response) =>
        answerJson(response, 409, {
          kind: "Status",
          apiVersion: "v1",
          reason: "AlreadyExists",
          message: 'nodes "a" already exists',
          code: 409,
        }),
      code: "already-exists",
      message: /^nodes "a" already exists$/,
    },
    "a text body speaks by its HTTP status": {
      answer: (response) => response.writeHead(503).end("upstream\n  connect error"),
      code: "unavailable",
      message: /^server answered 503: upstream connect error$/,
    },
    "an answer that is not JSON is malformed": {
      answer: (response) => response.writeHead(200).end("<html>"),
      code: "malformed",
      message: /is not JSON/,
    },
    "an answer that is no object is malformed": {
      answer: (response) => response.writeHead(200).end("null"),
      code: "malformed",
      message: /is not an object/,
    },
    "a redirect is not followed": {
      answer: (response) => response.writeHead(302, { location: "https://elsewhere.example/" }).end(),
      code: "unsupported",
      message: /302/,
    },
    "a connection that breaks before the answer is unavailable": {
      answer: (response) => response.socket?.destroy(),
      code: "unavailable",
      message: /no connection to server/,
    },
    "a connection that breaks within the answer is unavailable": {
      answer: (response) => {
        response.writeHead(200, { "content-length": 100 });
        response.write("{", () => response.socket?.destroy());
      },
      code: "unavailable",
      message: /no connection to server/,
    },
  };
  for (const [sentence, { answer, code, message }] of Object.entries(table)) {
    it(sentence, async () => {
      server.handle((_request, response) => answer(response));
      await expect(client.get(NODES, { name: "a" })).rejects.toMatchObject({
        code,
        message: expect.stringMatching(message),
      });
    });
  }

  it("a 429 says how long to wait", async () => {
    server.handle((_request, response) => response.writeHead(429, { "retry-after": "3" }).end("too many requests"));
    await expect(client.get(NODES, { name: "a" })).rejects.toMatchObject({
      code: "too-many-requests",
      retryable: true,
      detail: { status: 429, retryAfterMs: 3_000 },
    });
  });

  it("a server that nobody listens at is unavailable and retryable", async () => {
    const gone = await startTestServer(() => undefined, ca);
    await gone.close();
    const lost = createKubeClient({ server: gone.url, caPem: ca.certPem, credentials: () => ({}) });
    await expect(lost.get(NODES, { name: "a" })).rejects.toMatchObject({ code: "unavailable", retryable: true });
    await lost.close();
  });

  it("a name that does not resolve is unavailable", async () => {
    const lost = createKubeClient({
      server: "https://no-such-host.invalid",
      caPem: ca.certPem,
      credentials: () => ({}),
    });
    await expect(lost.get(NODES, { name: "a" })).rejects.toMatchObject({ code: "unavailable" });
    await lost.close();
  });

  it("a server of another CA is untrusted, and not retryable", async () => {
    const other = aTestCa("other");
    const wary = createKubeClient({ server: server.url, caPem: other.certPem, credentials: () => ({}) });
    await expect(wary.get(NODES, { name: "a" })).rejects.toMatchObject({ code: "untrusted", retryable: false });
    await wary.close();
  });

  it("a server without the expected name is untrusted; with it, it is not", async () => {
    echo();
    const connection = { server: server.url, caPem: ca.certPem, credentials: () => ({}) };
    const wary = createKubeClient({ ...connection, tlsServerName: "elsewhere.example" });
    await expect(wary.get(NODES, { name: "a" })).rejects.toMatchObject({ code: "untrusted" });
    await wary.close();
    const content = createKubeClient({ ...connection, tlsServerName: "localhost" });
    await expect(content.get(NODES, { name: "a" })).resolves.toMatchObject(node("a"));
    await content.close();
  });

  it("a server is not verified where discovery asks for it", async () => {
    echo();
    const blind = createKubeClient({ server: server.url, insecureSkipVerify: true, credentials: () => ({}) });
    await expect(blind.get(NODES, { name: "a" })).resolves.toMatchObject(node("a"));
    await blind.close();
  });

  it("a silent server is a timeout", async () => {
    server.handle(() => undefined);
    await expect(client.get(NODES, { name: "a" }, { timeoutMs: 20 })).rejects.toMatchObject({
      code: "timeout",
      retryable: true,
    });
  });

  it("an answer that does not end is a timeout", async () => {
    server.handle((_request, response) => response.writeHead(200).write("{"));
    await expect(client.get(NODES, { name: "a" }, { timeoutMs: 20 })).rejects.toMatchObject({ code: "timeout" });
  });

  it("a call that its caller gives up is aborted, and its connection closed", async () => {
    const giveUp = new AbortController();
    server.handle(() => giveUp.abort());
    await expect(client.get(NODES, { name: "a" }, { signal: giveUp.signal })).rejects.toMatchObject({
      code: "aborted",
    });
    await server.untilConnections(0);
    await expect(client.get(NODES, { name: "a" }, { signal: giveUp.signal })).rejects.toMatchObject({
      code: "aborted",
    });
  });

  it("a call that runs when the client is closed, or begins later, is aborted", async () => {
    server.handle(() => void client.close());
    await expect(client.get(NODES, { name: "a" })).rejects.toMatchObject({ code: "aborted" });
    await expect(client.get(NODES, { name: "a" })).rejects.toMatchObject({ code: "aborted" });
  });

  it("a URL that is not https is refused before anything is sent", () => {
    for (const url of ["http://127.0.0.1:8080", "127.0.0.1:6443", ""]) {
      expect(() => createKubeClient({ server: url, credentials: () => ({}) })).toThrow(/is not an https URL/);
    }
  });

  it("a failing source of credentials fails the call, with its own fault if it has one", async () => {
    const failures: [cause: Error, code: string][] = [
      [new TypeError("a bug"), "internal"],
      [new Fault("not-found", "cannot read token"), "not-found"],
    ];
    for (const [cause, code] of failures) {
      const broken = createKubeClient({ server: server.url, credentials: () => Promise.reject(cause) });
      await expect(broken.get(NODES, { name: "a" })).rejects.toMatchObject({ code });
      await broken.close();
    }
  });

  it("a key that does not match its certificate is bad configuration", async () => {
    const [one, two] = [ca.issueClient("one"), ca.issueClient("two")];
    credentials = { certPem: one.certPem, keyPem: two.keyPem };
    await expect(client.get(NODES, { name: "a" })).rejects.toMatchObject({ code: "bad-config" });
  });
});

describe("credentials", () => {
  it("are asked for at each request, so that a new token is used at once", async () => {
    echo();
    credentials = { token: "first" };
    await client.get(NODES, { name: "a" });
    credentials = { token: "second" };
    await client.get(NODES, { name: "a" });
    expect(seen.map(({ authorization }) => authorization)).toEqual(["Bearer first", "Bearer second"]);
  });

  it("that stay the same keep their connections", async () => {
    const addresses = new Set<number | undefined>();
    server.handle((request, response) => {
      addresses.add(request.socket.remotePort);
      answerJson(response, 200, node("a"));
    });
    for (let i = 0; i < 10; i++) await client.get(NODES, { name: "a" });
    // One, or two when a call begins before the end of the one before has been noticed.
    expect(addresses.size).toBeLessThanOrEqual(2);
  });

  it("with a new certificate open new connections, close the old ones and end running watches", async () => {
    const names: (string | undefined)[] = [];
    server.handle((request, response) => {
      names.push(peerName(request));
      if (request.url?.includes("watch") === true) return void response.writeHead(200).flushHeaders();
      answerJson(response, 200, node("a"));
    });
    credentials = ca.issueClient("first");
    const watching = collect(client.watch(NODES));
    while (names.length < 1) await nextTurn();
    await client.get(NODES, { name: "a" });
    credentials = ca.issueClient("second");
    await client.get(NODES, { name: "a" });
    expect(await watching).toEqual([]);
    expect(names).toEqual(["first", "first", "second"]);
    await server.untilConnections(1);
  });

  it("with a new certificate let running calls finish", async () => {
    const finish = new Promise<() => void>((resolve) => {
      server.handle((_request, response) => resolve(() => answerJson(response, 200, node("slow"))));
    });
    credentials = ca.issueClient("first");
    const slow = client.get(NODES, { name: "slow" });
    const finishSlow = await finish;
    echo();
    credentials = ca.issueClient("second");
    await client.get(NODES, { name: "a" });
    finishSlow();
    await expect(slow).resolves.toMatchObject(node("slow"));
  });
});

describe("a client that is closed", () => {
  it("ends the calls of replaced certificates too", async () => {
    const arrived = new Promise<void>((resolve) => {
      server.handle(() => resolve());
    });
    credentials = ca.issueClient("first");
    const slow = client.get(NODES, { name: "slow" });
    await arrived;
    echo();
    credentials = ca.issueClient("second");
    await client.get(NODES, { name: "a" });
    await Promise.all([client.close(), expect(slow).rejects.toMatchObject({ code: "aborted" })]);
    await server.untilConnections(0);
  });
});

describe("watches", () => {
  const event = (type: string, name: string) => `${JSON.stringify({ type, object: node(name) })}\n`;

  it("ask for bookmarks always and for initial events in the form of a streaming list", async () => {
    server.handle((request, response) => {
      seen.push({ method: "GET", url: request.url ?? "", contentType: undefined, authorization: undefined, body: "" });
      response.end();
    });
    await collect(client.watch(NODES, { resourceVersion: "7", timeoutSeconds: 5 }));
    await collect(client.watch(NODES, { sendInitialEvents: true }));
    expect(seen.map(({ url }) => url)).toEqual([
      "/api/v1/nodes?resourceVersion=7&watch=true&allowWatchBookmarks=true&timeoutSeconds=5",
      "/api/v1/nodes?watch=true&allowWatchBookmarks=true&sendInitialEvents=true&resourceVersionMatch=NotOlderThan",
    ]);
  });

  it("give whole events, however the bytes are cut", async () => {
    const bytes = Buffer.from(event("ADDED", "ä") + event("MODIFIED", "b") + event("DELETED", "c"));
    server.handle(async (_request, response) => {
      for (const byte of bytes) {
        response.write(Buffer.of(byte));
        await nextTurn();
      }
      response.end();
    });
    const events = await collect(client.watch(NODES));
    expect(events.map(({ type, object }) => `${type} ${object.metadata.name}`)).toEqual([
      "ADDED ä",
      "MODIFIED b",
      "DELETED c",
    ]);
  });

  it("fail with the fault of an HTTP refusal", async () => {
    server.handle((_request, response) =>
      answerJson(response, 410, { kind: "Status", apiVersion: "v1", reason: "Expired", message: "too old", code: 410 }),
    );
    await expect(collect(client.watch(NODES))).rejects.toMatchObject({ code: "expired", message: "too old" });
  });

  it("fail with the fault of an ERROR event, after the events before it", async () => {
    const status = {
      kind: "Status",
      apiVersion: "v1",
      reason: "Expired",
      message: "too old resource version: 1 (9)",
      code: 410,
    };
    server.handle((_request, response) =>
      response.end(`${event("ADDED", "a")}${JSON.stringify({ type: "ERROR", object: status })}\n`),
    );
    const events: unknown[] = [];
    const following = (async () => {
      for await (const each of client.watch(NODES)) events.push(each);
    })();
    await expect(following).rejects.toMatchObject({ code: "expired" });
    expect(events).toHaveLength(1);
  });

  it("fail when the connection breaks in the middle of an event", async () => {
    server.handle((_request, response) => {
      response.write(event("ADDED", "a") + event("ADDED", "b").slice(0, 20), () => response.socket?.destroy());
    });
    await expect(collect(client.watch(NODES))).rejects.toMatchObject({ code: "unavailable", retryable: true });
  });

  it("end when the server ends them, and leave no connection in use", async () => {
    server.handle((_request, response) => response.end(event("ADDED", "a")));
    await expect(collect(client.watch(NODES))).resolves.toHaveLength(1);
    await client.close();
    await server.untilConnections(0);
  });

  it("close their connection when the reader leaves", async () => {
    server.handle((_request, response) => void response.write(event("ADDED", "a")));
    for await (const _event of client.watch(NODES)) break;
    await server.untilConnections(0);
  });

  it("are aborted by their signal, and close their connection", async () => {
    const stop = new AbortController();
    server.handle((_request, response) => void response.write(event("ADDED", "a")));
    const following = (async () => {
      for await (const _event of client.watch(NODES, { signal: stop.signal })) stop.abort();
    })();
    await expect(following).rejects.toMatchObject({ code: "aborted" });
    await server.untilConnections(0);
  });

  it("do not take the connections of calls, however many there are", async () => {
    server.handle((request, response) => {
      if (request.url?.includes("watch") === true) return void response.write(event("ADDED", "a"));
      answerJson(response, 200, node("a"));
    });
    const stop = new AbortController();
    const watches = Array.from({ length: 80 }, () =>
      collect(client.watch(NODES, { signal: stop.signal })).catch(() => "stopped"),
    );
    await server.untilConnections(80);
    await expect(client.get(NODES, { name: "a" })).resolves.toMatchObject(node("a"));
    stop.abort();
    await Promise.all(watches);
  });
});
