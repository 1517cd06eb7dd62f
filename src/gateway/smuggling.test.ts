// What a client can write onto its connection by hand: two readers of one message must never see two messages, and no
// spelling of an identity header may reach the connection that the server behind trusts.

import { connect } from "node:tls";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { startTestGateway, type TestGateway, valuesOf } from "../../test/fakes/gateway.ts";
import { signDiscoveryJwt } from "../api/bootstrap/index.ts";

const TOKEN = { id: "abcdef", secret: "0123456789abcdef" };
const CLUSTER_INFO = "/api/v1/namespaces/kube-public/configmaps/cluster-info";

let world: TestGateway;
beforeAll(async () => {
  world = await startTestGateway({ tokens: [TOKEN] });
});
afterAll(() => world.close());
afterEach(() => {
  world.seen.length = 0;
});

/** Everything that comes back until the gateway hangs up; or nothing, when the client does so itself after a moment. */
function send(
  text: string,
  identity: "certificate" | "none" = "certificate",
  then: "read" | "hang up" = "read",
): Promise<string> {
  return new Promise((resolve) => {
    const pair = { cert: world.adminCertPem, key: world.adminKeyPem };
    const socket = connect({
      ...{ port: world.port, host: "127.0.0.1", ca: world.caPem },
      ...(identity === "certificate" ? pair : {}),
    });
    let answer = "";
    socket.on("data", (bytes) => {
      answer += String(bytes);
    });
    socket.on("error", () => socket.destroy());
    socket.on("close", () => resolve(answer));
    socket.write(text, () => {
      if (then === "hang up") setTimeout(() => socket.destroy(), HANG_UP_MS);
    });
  });
}

/** Enough for the half request to be on its way to the server behind. */
const HANG_UP_MS = 50;

const END = "Host: x\r\nConnection: close\r\n";
const SECOND = "GET /second HTTP/1.1\r\nHost: x\r\n\r\n";

describe("a message that two readers could end in two places is refused", () => {
  const POST = `POST /x HTTP/1.1\r\n${END}`;
  const CHUNKED = "Transfer-Encoding: chunked\r\n";
  const refused: Record<string, string> = {
    "two lengths": `${POST}Content-Length: 5\r\nContent-Length: 6\r\n\r\nhello!`,
    "two equal lengths": `${POST}Content-Length: 5\r\nContent-Length: 5\r\n\r\nhello`,
    "a list of lengths": `${POST}Content-Length: 5, 5\r\n\r\nhello`,
    "a signed length": `${POST}Content-Length: +5\r\n\r\nhello`,
    "a length and chunks": `${POST}${CHUNKED}Content-Length: 3\r\n\r\n0\r\n\r\n${SECOND}`,
    "an encoding nobody knows": `${POST}Transfer-Encoding: xchunked\r\n\r\n0\r\n\r\n${SECOND}`,
    "chunked that is not last": `${POST}Transfer-Encoding: chunked, identity\r\n\r\n0\r\n\r\n${SECOND}`,
    "chunked twice": `${POST}${CHUNKED}${CHUNKED}\r\n0\r\n\r\n`,
    "a space before the colon": `${POST}Content-Length : 5\r\n\r\nhello`,
    "a folded header": `GET /x HTTP/1.1\r\n${END}X-Own: a\r\n X-Remote-User: root\r\n\r\n`,
    "a folded first line": `GET /x HTTP/1.1\r\n X-Remote-User: root\r\n${END}\r\n`,
    "bare line feeds": `GET /x HTTP/1.1\n${END.replaceAll("\r", "")}X-Remote-User: root\n\n`,
    "a bare carriage return": `GET /x HTTP/1.1\r\n${END}X-Own: a\rX-Remote-User: root\r\n\r\n`,
    "a null in a value": `GET /x HTTP/1.1\r\n${END}X-Own: a\u0000b\r\n\r\n`,
    "a chunk with an impossible size": `${POST}${CHUNKED}\r\n-1\r\nx\r\n0\r\n\r\n`,
    "no host": "GET /x HTTP/1.1\r\nConnection: close\r\n\r\n",
  };
  for (const [sentence, text] of Object.entries(refused)) {
    it(sentence, async () => {
      const answer = await send(text);
      expect(world.seen.map(({ url }) => url)).toEqual([]);
      expect(answer).toMatch(/^HTTP\/1\.1 400/);
    });
  }

  it("a tunnel is not opened", async () => {
    expect(await send("CONNECT 127.0.0.1:22 HTTP/1.1\r\nHost: 127.0.0.1:22\r\n\r\n")).toBe("");
    expect(world.seen).toEqual([]);
  });
});

describe("an identity of the client's own making", () => {
  it("does not come through trailers", async () => {
    const trailers =
      "Trailer: X-Remote-User\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nhi\r\n0\r\nX-Remote-User: root\r\n" +
      "X-Remote-Group: system:masters\r\n\r\n";
    await send(`POST /x HTTP/1.1\r\n${END}${trailers}`);
    const [seen] = world.seen;
    expect(seen?.body).toBe("hi");
    expect(valuesOf(seen ?? { rawHeaders: [] }, "x-remote-user")).toEqual(["admin"]);
    expect(valuesOf(seen ?? { rawHeaders: [] }, "x-remote-group")).toEqual(["system:masters"]);
  });

  it("does not come through the end of an upgrade's body", async () => {
    const text =
      "POST /refuse HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: echo/1\r\nContent-Length: 40\r\n" +
      `\r\n${SECOND}`;
    await send(text);
    expect(world.seen.map(({ url }) => url)).toEqual(["/refuse"]);
  });

  it("does not come with HTTP/1.0, an absolute target or a repeated Authorization", async () => {
    await send("GET /old HTTP/1.0\r\nX-Remote-User: root\r\n\r\n", "none");
    await send(`GET https://elsewhere/abs HTTP/1.1\r\n${END}X-Remote-User: root\r\n\r\n`, "none");
    const jwt = signDiscoveryJwt(TOKEN, { nowMs: Date.now() });
    await send(
      `GET /api/v1/nodes HTTP/1.1\r\n${END}Authorization: Bearer t\r\nAuthorization: Bearer ${jwt}\r\n\r\n`,
      "none",
    );
    await send(
      `GET ${CLUSTER_INFO} HTTP/1.1\r\n${END}Authorization: Bearer ${jwt}\r\nAuthorization: Bearer t\r\n\r\n`,
      "none",
    );
    expect(world.seen.map(({ url, peer }) => [url, peer])).toEqual([
      ["/old", undefined],
      ["https://elsewhere/abs", undefined],
      ["/api/v1/nodes", undefined],
      [CLUSTER_INFO, "front-proxy-client"],
    ]);
    expect(world.seen.flatMap((seen) => valuesOf(seen, "x-remote-user"))).toEqual(["countersign:discovery:abcdef"]);
    expect(valuesOf(world.seen.at(-1) ?? { rawHeaders: [] }, "authorization")).toEqual([]);
  });

  it("of one connection is never that of the next, when both share a connection to the server behind", async () => {
    await send(`GET /admin HTTP/1.1\r\n${END}\r\n`);
    const jwt = signDiscoveryJwt(TOKEN, { nowMs: Date.now() });
    await send(`GET ${CLUSTER_INFO} HTTP/1.1\r\n${END}Authorization: Bearer ${jwt}\r\n\r\n`, "none");
    // Cut in the middle of its body: whatever followed on that connection would be read as its rest.
    await send(`POST /half HTTP/1.1\r\n${END}Content-Length: 100\r\n\r\nhalf`, "certificate", "hang up");
    await send(`GET /after HTTP/1.1\r\n${END}\r\n`);
    await send(`GET /nobody HTTP/1.1\r\n${END}\r\n`, "none");
    expect(world.seen.map(({ url, peer }) => [url, peer])).toEqual([
      ["/admin", "front-proxy-client"],
      [CLUSTER_INFO, "front-proxy-client"],
      ["/after", "front-proxy-client"],
      ["/nobody", undefined],
    ]);
  });
});

describe("a captured JWT and a target that is read in another way behind", () => {
  const jwt = signDiscoveryJwt(TOKEN, { nowMs: Date.now() });
  const targets: Record<string, string> = {
    "an encoded slash": "/api/v1/namespaces/kube-public%2f..%2fkube-system/secrets",
    "encoded dots": "/api/v1/namespaces/kube-public/%2e%2e/kube-system/secrets",
    "two slashes": "/api/v1/namespaces/kube-public//secrets",
    "an absolute target": `https://x${CLUSTER_INFO}`,
    "a fragment": `${CLUSTER_INFO}#/../../secrets`,
    "a parameter in the path": "/api/v1/namespaces/kube-public/configmaps;x=/../../kube-system/secrets",
    "a subresource": `${CLUSTER_INFO}/status`,
    "the proxy of a service": "/api/v1/namespaces/kube-public/services/x:80/proxy/",
    "the old way to watch": "/api/v1/watch/namespaces/kube-public/configmaps",
    "an encoded watch": `${CLUSTER_INFO}?%77atch=1`,
    "a second watch": `${CLUSTER_INFO}?watch=0&watch=1`,
    "a watch without a value": `${CLUSTER_INFO}?watch`,
  };
  for (const [sentence, target] of Object.entries(targets)) {
    it(`${sentence} is refused`, async () => {
      const answer = await send(`GET ${target} HTTP/1.1\r\n${END}Authorization: Bearer ${jwt}\r\n\r\n`, "none");
      expect(answer).toMatch(/^HTTP\/1\.1 40[03]/);
      expect(world.seen).toEqual([]);
    });
  }
});
