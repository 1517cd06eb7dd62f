import type { IncomingMessage, ServerResponse } from "node:http";
import { afterEach, describe, expect, it } from "vitest";
import { aTestCa, type TestCa } from "../../../test/builders/tls-pair.ts";
import { createManualClock } from "../../../test/fakes/clock.ts";
import { answerJson, startTestServer, type TestServer } from "../../../test/fakes/https-server.ts";
import { encodeBase64, encodeUtf8 } from "../../kernel/bytes/index.ts";
import { signDetachedHs256 } from "../../kernel/jose/index.ts";
import { isFault } from "../../kernel/outcome/index.ts";
import { type DiscoverOptions, discoverCluster } from "./discover.ts";

const token = { id: "ae23dc", secret: "faddc87f5a5ab458" };
const PATH = "/api/v1/namespaces/kube-public/configmaps/cluster-info";

function clusterInfo(ca: TestCa, server = "https://cluster.example:6443") {
  const caData = encodeBase64(encodeUtf8(ca.certPem));
  const kubeconfig = `kind: Config\nclusters: [{name: "", cluster: {certificate-authority-data: ${caData}, server: "${server}"}}]\n`;
  const jws = signDetachedHs256({ keyId: token.id, secret: token.secret, content: kubeconfig });
  return { kind: "ConfigMap", apiVersion: "v1", metadata: {}, data: { kubeconfig, "jws-kubeconfig-ae23dc": jws } };
}

describe("discovery by token", () => {
  const servers: TestServer[] = [];
  afterEach(async () => {
    await Promise.all(servers.splice(0).map((server) => server.close()));
  });

  /** Gives the answers one after the other, the last one for ever. */
  async function serve(ca: TestCa, answers: readonly ((response: ServerResponse) => void)[]) {
    const requests: IncomingMessage[] = [];
    const server = await startTestServer((request, response) => {
      const answer = answers[Math.min(requests.push(request), answers.length) - 1];
      answer?.(response);
    }, ca);
    servers.push(server);
    return { url: server.url, requests };
  }

  const ok = (body: unknown) => (response: ServerResponse) => answerJson(response, 200, body);
  const status = (code: number, reason: string) => (response: ServerResponse) =>
    answerJson(response, code, { kind: "Status", apiVersion: "v1", status: "Failure", code, reason, message: reason });

  function start(endpoint: string, options: Partial<DiscoverOptions> = {}) {
    const clock = createManualClock();
    const waited: string[] = [];
    const promise = discoverCluster({ endpoint, token, clock, onWaiting: (why) => waited.push(why), ...options });
    promise.catch(() => undefined);
    return { clock, waited, promise };
  }

  async function failure(promise: Promise<unknown>) {
    const error = await promise.then(
      () => expect.fail("it should have been refused"),
      (thrown: unknown) => thrown,
    );
    if (!isFault(error)) throw error;
    expect(`${error.message} ${JSON.stringify(error.detail)}`).not.toContain(token.secret);
    return error;
  }

  it("finds the cluster, and sends neither the secret nor any credential", async () => {
    const ca = aTestCa();
    const { url, requests } = await serve(ca, [ok(clusterInfo(ca))]);
    const found = await start(url).promise;
    expect(found).toMatchObject({ server: "https://cluster.example:6443", caPem: ca.certPem });
    expect(requests.map(({ method, url: path }) => `${method} ${path}`)).toEqual([`GET ${PATH}`, `GET ${PATH}`]);
    for (const { url: path, rawHeaders, headers } of requests) {
      expect([path, ...rawHeaders].join("\n")).not.toContain(token.secret);
      expect(headers.authorization).toBeUndefined();
    }
  });

  it("waits for a signature that has not come", async () => {
    const ca = aTestCa();
    const whole = clusterInfo(ca);
    const { url } = await serve(ca, [ok({ ...whole, data: { kubeconfig: whole.data.kubeconfig } }), ok(whole)]);
    const { clock, waited, promise } = start(url);
    await clock.untilSleeping();
    expect(waited).toEqual([expect.stringContaining("no signature of token ae23dc yet")]);
    await clock.advance(5_000);
    await expect(promise).resolves.toMatchObject({ caPem: ca.certPem });
  });

  for (const [sentence, answer] of Object.entries({
    "whose role for cluster-info is not bound": status(403, "Forbidden"),
    "without a cluster-info": status(404, "NotFound"),
    "that is overloaded": status(429, "TooManyRequests"),
    "behind a proxy that has no upstream": (response: ServerResponse) => response.writeHead(503).end("try later"),
  })) {
    it(`waits for a server ${sentence}`, async () => {
      const ca = aTestCa();
      const { url } = await serve(ca, [answer, ok(clusterInfo(ca))]);
      const { clock, promise } = start(url);
      await clock.untilSleeping();
      await clock.advance(5_000);
      await expect(promise).resolves.toMatchObject({ caPem: ca.certPem });
    });
  }

  it("waits for a server that is not up, and says after the limit what it waited for", async () => {
    const server = await startTestServer((_request, response) => response.end());
    await server.close();
    const { clock, waited, promise } = start(server.url, { limitMs: 12_000 });
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
    const ca = aTestCa();
    const { url } = await serve(ca, [status(404, "NotFound")]);
    const { clock, promise } = start(url, { signal: stop.signal });
    await clock.untilSleeping();
    stop.abort();
    expect((await failure(promise)).code).toBe("aborted");
  });

  describe("an attacker", () => {
    it("who relays the true document from a server of his own is caught by the second reading", async () => {
      const { url } = await serve(aTestCa("attacker"), [ok(clusterInfo(aTestCa()))]);
      expect(await failure(start(url).promise)).toMatchObject({
        code: "untrusted",
        detail: { check: "server-holds-a-certificate-of-the-ca" },
      });
    });

    it("who serves other bytes on the verified connection is refused", async () => {
      const ca = aTestCa();
      const { url } = await serve(ca, [ok(clusterInfo(ca)), ok(clusterInfo(ca, "https://elsewhere.example:6443"))]);
      expect(await failure(start(url).promise)).toMatchObject({
        code: "untrusted",
        detail: { check: "document-is-the-same-over-verified-tls" },
      });
    });

    it("who signs with a secret of his own is refused at once, not waited for", async () => {
      const ca = aTestCa();
      const forged = clusterInfo(ca);
      const jws = signDetachedHs256({ keyId: token.id, secret: "0000000000000000", content: forged.data.kubeconfig });
      const { url, requests } = await serve(ca, [
        ok({ ...forged, data: { ...forged.data, "jws-kubeconfig-ae23dc": jws } }),
      ]);
      expect(await failure(start(url).promise)).toMatchObject({
        code: "untrusted",
        detail: { check: "signature-is-valid" },
      });
      expect(requests).toHaveLength(1);
    });

    it("who knows the token but not the pinned key is refused", async () => {
      const ca = aTestCa();
      const { url } = await serve(ca, [ok(clusterInfo(ca))]);
      const caPins = [`sha256:${"ab".repeat(32)}`];
      expect(await failure(start(url, { caPins }).promise)).toMatchObject({ detail: { check: "ca-is-pinned" } });
    });

    it("who redirects elsewhere is not followed", async () => {
      const ca = aTestCa();
      const { url, requests } = await serve(ca, [
        (response) => response.writeHead(302, { location: "https://127.0.0.1:1/" }).end(),
      ]);
      expect((await failure(start(url).promise)).code).toBe("unsupported");
      expect(requests).toHaveLength(1);
    });

    it("who cuts the document short is refused", async () => {
      const ca = aTestCa();
      const { url } = await serve(ca, [(response) => response.end(JSON.stringify(clusterInfo(ca)).slice(0, 200))]);
      expect((await failure(start(url).promise)).code).toBe("malformed");
    });

    it("who sends numbers where texts belong gets nothing but patience", async () => {
      const ca = aTestCa();
      const { url } = await serve(ca, [ok({ metadata: {}, data: { kubeconfig: 1, "jws-kubeconfig-ae23dc": {} } })]);
      const { clock, waited, promise } = start(url, { limitMs: 5_000 });
      await clock.untilSleeping();
      await clock.advance(5_000);
      expect((await failure(promise)).code).toBe("timeout");
      expect(waited[0]).toContain("no signature");
    });
  });
});
