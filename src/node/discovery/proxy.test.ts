// Discovery and join behind a company's proxy (HTTPS_PROXY): the API server has a name that only the proxy can resolve.
// The proxy carries bytes and learns nothing.

import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import {
  aClusterInfo,
  aDocument,
  CLUSTER_ID,
  plainServer,
  signingServer,
  TOKEN,
} from "../../../test/builders/discovery.ts";
import { aTestCa } from "../../../test/builders/tls-pair.ts";
import { type ConnectProxy, startConnectProxy } from "../../../test/fakes/connect-proxy.ts";
import type { Handler } from "../../../test/fakes/https-server.ts";
import { systemClock } from "../../platform/clock/index.ts";
import { createKubeClient } from "../../platform/kube/index.ts";
import { discover } from "./discover.ts";
import type { DiscoveryMethod } from "./method.ts";

const NAME = "api.cluster.example";
const ca = aTestCa();
const ends: (() => unknown)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

/** With a certificate for the name, which stands in no DNS. */
async function serve(handler: Handler): Promise<number> {
  const { certPem, keyPem } = ca.issueServing({ dnsNames: [NAME] });
  const server = createServer({ cert: certPem, key: keyPem }, handler);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  ends.push(() => {
    server.closeAllConnections();
    server.close();
  });
  return (server.address() as AddressInfo).port;
}

async function aProxy(port: number, login?: string): Promise<ConnectProxy> {
  const routes = { [`${NAME}:6443`]: port, [`${NAME}:443`]: port };
  const proxy = await startConnectProxy({ routes, ...(login === undefined ? {} : { login }) });
  ends.push(proxy.close);
  return proxy;
}

const map = aClusterInfo(aDocument({ server: `https://${NAME}:6443`, caPem: ca.certPem, clusterId: CLUSTER_ID }));
const byToken: DiscoveryMethod = {
  kind: "token",
  addresses: [`https://${NAME}:6443`],
  token: TOKEN,
  caPins: [],
  clusterId: CLUSTER_ID,
};
const find = (method: DiscoveryMethod, env: Readonly<Record<string, string>>) =>
  discover(method, { clock: systemClock, env, limitMs: 0 });

describe("a cluster behind a proxy", () => {
  let directory: string;
  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), "countersign-proxy-"));
    ends.push(() => rmSync(directory, { recursive: true }));
  });

  it.each([
    ["signs its answers", signingServer(map)],
    ["is a plain API server", plainServer(map)],
  ])("is found by a token where it %s, and the proxy never sees the secret", async (_, handler) => {
    const proxy = await aProxy(await serve(handler));
    const found = await find(byToken, { HTTPS_PROXY: proxy.url });
    expect(found).toMatchObject({ server: `https://${NAME}:6443`, clusterId: CLUSTER_ID });
    expect(new Set(proxy.asked)).toEqual(new Set([`${NAME}:6443`]));
    expect(proxy.asked.length).toBeGreaterThan(1);
    for (const word of [TOKEN.secret, TOKEN.id, "Bearer", "cluster-info", "X-Kubernetes-JWS"])
      expect(proxy.recorded().includes(word), word).toBe(false);
  });

  it("is found by the URL of its document, whose headers the proxy does not see", async () => {
    const document = map.data.kubeconfig;
    const port = await serve((request, response) => {
      if (request.url === "/document") {
        const isAllowed = request.headers["x-secret"] === "open-sesame";
        response.writeHead(isAllowed ? 200 : 403).end(isAllowed ? document : "");
      } else plainServer(map)(request, response);
    });
    const proxy = await aProxy(port, "user:pass");
    const [headerFile, roots] = [join(directory, "headers"), join(directory, "roots.pem")];
    writeFileSync(headerFile, "X-Secret: open-sesame\n", { mode: 0o600 });
    writeFileSync(roots, ca.certPem);
    const method = {
      kind: "url",
      url: `https://${NAME}/document`,
      headerFile,
      withCredentials: false,
      caPins: [],
    } as const;
    const found = await find(method, { HTTPS_PROXY: proxy.url, SSL_CERT_FILE: roots });
    expect(found.server).toBe(`https://${NAME}:6443`);
    expect(proxy.recorded().includes("open-sesame")).toBe(false);
  });

  it("is asked by a client with a certificate, through the proxy too", async () => {
    const proxy = await aProxy(await serve((_, response) => void response.end('{"kind":"NodeList","items":[]}')));
    const env = { HTTPS_PROXY: proxy.url };
    const client = createKubeClient({
      server: `https://${NAME}:6443`,
      caPem: ca.certPem,
      credentials: () => ({}),
      env,
    });
    ends.push(() => client.close());
    const nodes = { group: "", version: "v1", kind: "Node", plural: "nodes", namespaced: false } as const;
    expect((await client.list(nodes)).items).toEqual([]);
    expect(proxy.asked).toEqual([`${NAME}:6443`]);
  });

  const REFUSED: Record<string, [(proxy: ConnectProxy) => string, RegExp]> = {
    "does not know its user": [({ url }) => url.replace("user:pass@", ""), /does not connect to .*: status 407/],
    "is not there": [() => "http://127.0.0.1:9", /cannot reach proxy 127\.0\.0\.1:9/],
  };
  it.each(Object.entries(REFUSED))(
    "is not found where the proxy %s, and the message says so",
    async (_, [at, message]) => {
      const proxy = await aProxy(await serve(plainServer(map)), "user:pass");
      await expect(find(byToken, { HTTPS_PROXY: at(proxy) })).rejects.toThrow(message);
    },
  );

  it("is not asked through a proxy that is excepted for it", async () => {
    const proxy = await aProxy(await serve(plainServer(map)));
    const env = { HTTPS_PROXY: proxy.url, NO_PROXY: ".cluster.example" };
    await expect(find(byToken, env)).rejects.toThrow(NAME);
    expect(proxy.asked).toEqual([]);
  });

  it("is not believed where the proxy answers in its place: trust is the same inside the tunnel", async () => {
    const impostor = aTestCa("impostor");
    const { certPem, keyPem } = impostor.issueServing({ dnsNames: [NAME] });
    const server = createServer({ cert: certPem, key: keyPem }, plainServer(map));
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    ends.push(() => server.close());
    const proxy = await aProxy((server.address() as AddressInfo).port);
    await expect(find(byToken, { HTTPS_PROXY: proxy.url })).rejects.toMatchObject({
      code: "untrusted",
      detail: { check: "server-holds-a-certificate-of-the-ca" },
    });
  });
});
