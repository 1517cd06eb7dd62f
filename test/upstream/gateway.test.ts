// The gateway before a real kube-apiserver: everything has the same result as without it, but for discovery JWTs, which
// the API server does not know and whose answers the gateway signs.

import { randomBytes as nodeRandomBytes } from "node:crypto";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { connect } from "node:tls";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { JWS_HEADER, parseToken, signDiscoveryJwt } from "../../src/api/bootstrap/index.ts";
import { parseKubeconfig } from "../../src/api/kubeconfig/index.ts";
import { startGateway } from "../../src/gateway/gateway.ts";
import { discover } from "../../src/node/index.ts";
import { systemClock } from "../../src/platform/clock/index.ts";
import { createMetrics, silentLog } from "../../src/platform/report/index.ts";
import { isSignedFor } from "../builders/discovery.ts";
import { aTestCa } from "../builders/tls-pair.ts";
import { callApi, type Sent } from "../fakes/api-client.ts";
import { rootsOf } from "../fakes/gateway.ts";
import { startJwtRelay } from "../fakes/jwt-relay.ts";
import { spellingsFound } from "../fakes/recording-proxy.ts";
import { runCommand } from "./harness/command.ts";
import {
  type ControlPlane,
  createWorkspace,
  locateProgram,
  type OurController,
  type OurGateway,
  startControlPlane,
  startOurControllerProgram,
  startOurGateway,
  type Workspace,
  waitFor,
  writeKubeconfig,
} from "./harness/index.ts";
import { findFreePorts } from "./harness/ports.ts";

const CLUSTER_INFO = "/api/v1/namespaces/kube-public/configmaps/cluster-info";
const CSRS = "/apis/certificates.k8s.io/v1/certificatesigningrequests";

let plane: ControlPlane;
let gateway: OurGateway;
let admin: { readonly certPem: string; readonly keyPem: string };
let token: string;

beforeAll(async () => {
  plane = await startControlPlane();
  gateway = await startOurGateway(plane);
  await gateway.waitUntilReady();
  token = await plane.createBootstrapToken();
  const [user] = parseKubeconfig(await readFile(plane.adminKubeconfigPath, "utf8")).users;
  const text = (base64 = "") => Buffer.from(base64, "base64").toString();
  admin = {
    certPem: text(user?.user["client-certificate-data"]),
    keyPem: text(user?.user["client-key-data"]),
  };
});
afterAll(async () => {
  await gateway?.stop();
  await plane?.stop();
});

const endpointOf = (way: "direct" | "gateway") => ({
  port: way === "direct" ? plane.port : gateway.port,
  caPem: plane.caPem,
  adminCertPem: admin.certPem,
  adminKeyPem: admin.keyPem,
});
const call = (way: "direct" | "gateway", sent: Sent) => callApi(endpointOf(way), sent);
const jwtOf = (text: string) => ({ token: signDiscoveryJwt(parseToken(text), { nowMs: Date.now() }) });

/** A kubeconfig of the same user for each way. */
async function bothKubeconfigs(name: string, user: Parameters<typeof writeKubeconfig>[2]) {
  const write = (way: string, url: string) =>
    writeKubeconfig(join(plane.dir, `${name}-${way}.conf`), { url, caPem: plane.caPem }, user);
  return { direct: await write("direct", plane.url), gateway: await write("gateway", gateway.url) };
}

const asAdmin = () =>
  bothKubeconfigs("admin", {
    "client-certificate-data": Buffer.from(admin.certPem).toString("base64"),
    "client-key-data": Buffer.from(admin.keyPem).toString("base64"),
  });
const asServiceAccount = async () => {
  const { stdout } = await plane.kubectl(["create", "token", "default", "--namespace", "kube-system"]);
  return bothKubeconfigs("account", { token: stdout.trim() });
};

async function sameOutput(args: readonly string[], ways: { readonly direct: string; readonly gateway: string }) {
  const [direct, through] = await Promise.all([
    plane.kubectl(args, { kubeconfig: ways.direct }),
    plane.kubectl(args, { kubeconfig: ways.gateway }),
  ]);
  // The only difference is the address in messages.
  const plain = (text: string) => text.replaceAll(`:${gateway.port}`, ":PORT").replaceAll(`:${plane.port}`, ":PORT");
  expect({ ...through, stdout: plain(through.stdout), stderr: plain(through.stderr) }).toEqual({
    ...direct,
    stdout: plain(direct.stdout),
    stderr: plain(direct.stderr),
  });
  return through;
}

describe("kubectl through the gateway", () => {
  it("with a client certificate is the same user, to the last extra", async () => {
    const ways = await asAdmin();
    const { stdout } = await sameOutput(["auth", "whoami", "-o", "jsonpath={.status}"], ways);
    expect(stdout).toContain("X509SHA256=");
    await sameOutput(["get", "namespaces,clusterroles", "-o", "name"], ways);
    await sameOutput(["get", "--raw", "/version"], ways);
    await sameOutput(["get", "configmap", "missing"], ways);
  });

  it("with a service account's token, and with a bootstrap token, is the same user", async () => {
    await plane.kubectl(["create", "serviceaccount", "default", "--namespace", "kube-system"]);
    const account = await asServiceAccount();
    const { stdout } = await sameOutput(["auth", "whoami", "-o", "jsonpath={.status.userInfo.username}"], account);
    expect(stdout).toBe("system:serviceaccount:kube-system:default");
    await sameOutput(["get", "secrets"], account);
    const bootstrap = await bothKubeconfigs("bootstrap", { token });
    await sameOutput(["auth", "whoami", "-o", "jsonpath={.status.userInfo}"], bootstrap);
    const wrong = await bothKubeconfigs("wrong", { token: `${token.slice(0, 7)}0000000000000000` });
    expect((await sameOutput(["get", "nodes"], wrong)).stderr).toContain("Unauthorized");
  });

  it("writes: create, patch, apply, delete", async () => {
    const { gateway: kubeconfig } = await asAdmin();
    const run = async (...args: string[]) => {
      const done = await plane.kubectl(args, { kubeconfig });
      expect(done.code, done.stderr).toBe(0);
      return done.stdout;
    };
    await run("create", "configmap", "through", "--from-literal=a=1");
    await run("patch", "configmap", "through", "-p", '{"data":{"b":"2"}}');
    expect(await run("get", "configmap", "through", "-o", "jsonpath={.data}")).toBe('{"a":"1","b":"2"}');
    await run("delete", "configmap", "through");
  });

  it("get -w sees the same events as they happen", async () => {
    const ways = await asAdmin();
    await plane.kubectl(["create", "configmap", "watched", "--from-literal=a=1"]);
    const args = ["get", "configmap", "watched", "-w", "--request-timeout=5s", "-o", 'jsonpath={.data}{"\\n"}'];
    const watches = Object.values(ways).map((kubeconfig) => plane.kubectl(args, { kubeconfig }));
    await sleep(1_500);
    await plane.kubectl(["patch", "configmap", "watched", "-p", '{"data":{"a":"2"}}']);
    const [direct, through] = await Promise.all(watches);
    expect(through?.stdout).toBe(direct?.stdout);
    expect(through?.stdout).toBe('{"a":"1"}\n{"a":"2"}\n');
  });
});

/**
 * A watch over a websocket, the one upgrade that an API server without nodes grants: status line, headers and first
 * frames.
 */
function upgrade(way: "direct" | "gateway", path: string, key: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const { port, caPem } = endpointOf(way);
    const socket = connect({ host: "127.0.0.1", port, ca: caPem, cert: admin.certPem, key: admin.keyPem });
    const chunks: Buffer[] = [];
    const headers = [`GET ${path} HTTP/1.1`, `Host: 127.0.0.1:${port}`, "Connection: Upgrade", "Upgrade: websocket"];
    const websocket = ["Sec-WebSocket-Version: 13", `Sec-WebSocket-Key: ${key}`, "Origin: https://127.0.0.1"];
    socket.write(`${[...headers, ...websocket].join("\r\n")}\r\n\r\n`);
    socket.on("data", (chunk) => chunks.push(chunk));
    socket.on("error", reject);
    socket.on("close", () => resolve(Buffer.concat(chunks).toString("latin1")));
    setTimeout(() => socket.end(), 3_000);
  });
}

describe("an upgrade through the gateway", () => {
  const withoutTimes = (text: string) => {
    const [head = "", ...rest] = text.split("\r\n\r\n");
    const [line, ...headers] = head.split("\r\n");
    const kept = headers
      .filter((one) => !/^(date|audit-id|x-kubernetes-pf)/i.test(one))
      .map((one) => one.toLowerCase());
    return { line: line?.trim(), headers: kept.sort(), body: rest.join("\r\n\r\n") };
  };

  it("is granted as without it, and the same bytes follow", async () => {
    const key = nodeRandomBytes(16).toString("base64");
    const path = "/api/v1/namespaces/kube-public/configmaps?watch=true";
    const [direct, through] = await Promise.all([upgrade("direct", path, key), upgrade("gateway", path, key)]);
    expect(through).toMatch(/^HTTP\/1\.1 101 /);
    expect(through).toContain('"type":"ADDED"');
    expect(withoutTimes(through)).toEqual(withoutTimes(direct));
  });

  it("is refused as without it", async () => {
    const path = "/api/v1/namespaces/default/pods/none/exec?command=ls&stdout=true";
    const key = nodeRandomBytes(16).toString("base64");
    const [direct, through] = await Promise.all([upgrade("direct", path, key), upgrade("gateway", path, key)]);
    const status = (text: string) => /^HTTP\/1\.1 (\d+)/.exec(text)?.[1];
    expect(status(through)).toBe(status(direct));
    expect(through).toContain('pods \\"none\\" not found');
  });
});

describe("the token method through the gateway", () => {
  it("finds the cluster by a JWT and a signed answer, never by the anonymous way", async () => {
    const deps = { clock: systemClock, env: process.env, limitMs: 30_000 };
    const address = `https://127.0.0.1:${gateway.port}`;
    const found = await discover({ kind: "token", addresses: [address], token: parseToken(token), caPins: [] }, deps);
    expect(found.caPem.trim()).toBe(plane.caPem.trim());
    // Nobody signs the ConfigMap of this cluster: kubeadm's way would have waited for ever.
    const { body } = await call("direct", { path: CLUSTER_INFO });
    expect(Object.keys(body.data)).toEqual(["kubeconfig"]);
  });

  it("signs what kube-apiserver answers, byte by byte, whoever packs", async () => {
    const as = jwtOf(token);
    const answer = await call("gateway", { path: CLUSTER_INFO, as, headers: { "accept-encoding": "gzip" } });
    expect(answer.status).toBe(200);
    expect(isSignedFor(answer, { token: parseToken(token), jwt: as.token })).toBe(true);
    expect((await call("direct", { path: CLUSTER_INFO, as: jwtOf(token) })).status).toBe(401);
  });

  it("knows a token a moment after it was made, and forgets it when it is gone", async () => {
    const fresh = await plane.createBootstrapToken();
    const ask = async () => (await call("gateway", { path: CLUSTER_INFO, as: jwtOf(fresh) })).status;
    await waitFor({
      what: "the new token",
      limitMs: 10_000,
      probe: async () => ((await ask()) === 200 ? true : undefined),
    });
    await plane.kubectl(["delete", "secret", `bootstrap-token-${fresh.slice(0, 6)}`, "-n", "kube-system"]);
    await waitFor({ what: "its end", limitMs: 10_000, probe: async () => ((await ask()) === 401 ? true : undefined) });
  });
});

describe("an attacker before the gateway", () => {
  it("in the middle of a join cannot have a tenant's object signed and be given the token", async () => {
    const { id, secret } = parseToken(token);
    const workspace = await createWorkspace("relayed-jwt");
    const relay = await startJwtRelay(endpointOf("gateway"), id);
    try {
      const tokenFile = join(workspace.dir, "token");
      await writeFile(tokenFile, token, { mode: 0o600 });
      const args = ["node", "join", new URL(relay.url).host, "--token-file", tokenFile, "--node-name", "victim"];
      const joining = await runCommand(
        process.execPath,
        [locateProgram("countersign"), ...args, "--directory", join(workspace.dir, "node"), "--timeout", "5s"],
        { limitMs: 60_000 },
      );
      expect(spellingsFound(relay.recorded(), secret)).toEqual([]);
      expect(joining.code).not.toBe(0);
      expect(relay.relayed.map(({ status }) => status)).toContain(403);
      expect(relay.relayed.flatMap(({ headers }) => headers[JWS_HEADER] ?? [])).toEqual([]);
    } finally {
      await relay.close();
      await workspace.remove();
    }
  });

  it("creates no certificate request with a captured JWT, and watches nothing", async () => {
    const before = (await plane.kubectl(["get", "csr", "-o", "name"])).stdout;
    expect((await call("gateway", { method: "POST", path: CSRS, body: {}, as: jwtOf(token) })).status).toBe(403);
    expect((await call("gateway", { path: `${CLUSTER_INFO}?watch=true`, as: jwtOf(token) })).status).toBe(403);
    expect((await call("gateway", { path: "/api/v1/namespaces/kube-system/secrets", as: jwtOf(token) })).status).toBe(
      403,
    );
    expect((await plane.kubectl(["get", "csr", "-o", "name"])).stdout).toBe(before);
  });

  it("does not become somebody by X-Remote-* headers", async () => {
    const headers = { "X-Remote-User": "admin", "X-Remote-Group": "system:masters", "x-remote-extra-a": "b" };
    const nodes = { path: "/api/v1/nodes", headers };
    expect((await call("gateway", { ...nodes, as: "anonymous" })).body.message).toContain('User "system:anonymous"');
    expect((await call("gateway", { ...nodes, as: { token } })).body.message).toContain('User "system:bootstrap:');
    expect((await call("gateway", { ...nodes, as: jwtOf(token) })).status).toBe(403);
    const stranger = aTestCa("stranger").issueClient("admin", ["system:masters"]);
    expect((await call("gateway", { ...nodes, as: stranger })).status).toBe(401);
  });
});

describe("the gateway itself", () => {
  it("tells its health and what it did, on a port of its own", async () => {
    const get = async (path: string) => (await fetch(`http://127.0.0.1:${gateway.healthPort}${path}`)).text();
    expect(await get("/readyz?verbose")).toContain("[+]tokens");
    expect(await get("/metrics")).toMatch(/countersign_gateway_requests_total\{identity="discovery",code="200"\} \d+/);
    expect((await call("gateway", { path: "/metrics", as: "anonymous" })).status).toBe(403);
  });
});

describe("a join that was started before the control plane", () => {
  let controller: OurController | undefined;
  let workspace: Workspace;
  beforeAll(async () => {
    workspace = await createWorkspace("early-join");
  });
  afterAll(async () => {
    await controller?.stop();
    await workspace?.remove();
  });

  it("waits, then finds the cluster and gets its certificate, all through the gateway", async () => {
    const own = await plane.createBootstrapToken();
    const tokenFile = join(workspace.dir, "token");
    await writeFile(tokenFile, own, { mode: 0o600 });
    process.kill(plane.serverPid(), "SIGKILL");
    const args = ["node", "join", `127.0.0.1:${gateway.port}`, "--token-file", tokenFile, "--node-name", "early"];
    const joining = runCommand(
      process.execPath,
      [locateProgram("countersign"), ...args, "--directory", join(workspace.dir, "node"), "--timeout", "90s"],
      { limitMs: 120_000 },
    );
    await sleep(2_000);
    await plane.restartApiServer();
    // cluster-info names the gateway, so the join never leaves it.
    controller = await startOurControllerProgram(plane, [`--cluster-info-server=${gateway.url}`]);
    const { code, stdout, stderr } = await joining;
    expect(code, `${stdout}${stderr}`).toBe(0);
    const { stdout: csrs } = await plane.kubectl(["get", "csr", "--no-headers"]);
    expect(csrs).toMatch(/system:bootstrap:\w+ .*Approved,Issued/);
  });
});

describe("as a TokenReview webhook", () => {
  it("makes kube-apiserver itself know discovery JWTs, as a user with no rights but to read kube-public", async () => {
    const workspace = await createWorkspace("webhook");
    const ca = aTestCa("webhook");
    const [port = 0] = await findFreePorts(1);
    const caller = ca.issueClient("kube-apiserver");
    const base64 = (text: string) => Buffer.from(text).toString("base64");
    const config = await writeKubeconfig(
      join(workspace.dir, "webhook.conf"),
      { url: `https://127.0.0.1:${port}/authenticate`, caPem: ca.certPem },
      { "client-certificate-data": base64(caller.certPem), "client-key-data": base64(caller.keyPem) },
    );
    const flags = [`--authentication-token-webhook-config-file=${config}`, "--authentication-token-webhook-version=v1"];
    const own = await startControlPlane({ apiServerFlags: flags });
    const bootstrap = await own.createBootstrapToken();
    const hook = await startGateway({
      address: { host: "127.0.0.1", port: 0 },
      webhook: { host: "127.0.0.1", port },
      backend: { origin: own.url },
      material: { serving: ca.issueServing(), backendCaPem: own.caPem, webhookCallers: rootsOf(ca.certPem) },
      tokens: { find: () => parseToken(bootstrap), clusterId: () => undefined },
      clock: systemClock,
      log: silentLog,
      metrics: createMetrics(),
    });
    try {
      const path = join(import.meta.dirname, "../../deploy/discovery-rbac.yaml");
      await own.kubectl(["apply", "-f", path]);
      const kubeconfig = await own.writeTokenKubeconfig("jwt", jwtOf(bootstrap).token);
      const whoami = await own.kubectl(["auth", "whoami", "-o", "jsonpath={.status.userInfo}"], { kubeconfig });
      expect(JSON.parse(whoami.stdout)).toEqual({
        username: `countersign:discovery:${bootstrap.slice(0, 6)}`,
        groups: ["countersign:discovery", "system:authenticated"],
      });
      const may = async (...what: string[]) =>
        (await own.kubectl(["auth", "can-i", ...what], { kubeconfig })).stdout.trim();
      expect(await may("get", "configmaps/cluster-info", "-n", "kube-public")).toBe("yes");
      expect(await may("create", "certificatesigningrequests")).toBe("no");
      // Through the gateway, which may speak for nobody here, the JWT goes on to be asked about; its answer is signed.
      const endpoint = { port: hook.port, caPem: ca.certPem, adminCertPem: "", adminKeyPem: "" };
      const answer = await callApi(endpoint, { path: CLUSTER_INFO, as: jwtOf(bootstrap) });
      expect(answer.status).toBe(200);
      expect(answer.headers[JWS_HEADER]).toBeDefined();
    } finally {
      await hook.close();
      await own.stop();
      await workspace.remove();
    }
  });
});
