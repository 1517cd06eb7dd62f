// Our discovery client against a real cluster: cluster-info made by the real kubeadm, signed by the real
// kube-controller-manager, served by the real kube-apiserver, which knows nothing of discovery JWTs.

import { readFile, writeFile } from "node:fs/promises";
import { connect, createServer, type Server } from "node:net";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { encodeToken, generateToken } from "../../src/api/bootstrap/index.ts";
import { clusterLocationExtension, encodeKubeconfig, parseKubeconfig } from "../../src/api/kubeconfig/index.ts";
import { createInsecureProvider } from "../../src/attestation/insecure/node.ts";
import { parsePem } from "../../src/kernel/pem/index.ts";
import { parseCertificate } from "../../src/kernel/x509/index.ts";
import {
  type CachedDiscovery,
  caPinOf,
  type DiscoveryWords,
  discover,
  encodeClusterInfo,
  encodeClusterKubeconfig,
  joinNode,
  parseDiscoveryMethod,
  refreshDiscovery,
  verifyServers,
  wayOf,
} from "../../src/node/index.ts";
import { systemClock } from "../../src/platform/clock/index.ts";
import { randomBytes } from "../../src/platform/keys/index.ts";
import { patient } from "../patience.ts";
import { locateBinary } from "./assets/binaries.mjs";
import { runCommandOk } from "./harness/command.ts";
import {
  type ControlPlane,
  createWorkspace,
  type OurController,
  startControlPlane,
  startOurController,
  type Workspace,
} from "./harness/index.ts";
import { findFreePorts } from "./harness/ports.ts";

let workspace: Workspace;
beforeAll(async () => {
  workspace = await createWorkspace("discovery-client");
});
afterAll(() => workspace?.remove());

const waited: string[] = [];
const deps = { clock: systemClock, env: process.env, limitMs: 60_000, onWaiting: (why: string) => waited.push(why) };
const find = (words: DiscoveryWords) => discover(parseDiscoveryMethod(words), deps);

async function forward(from: { readonly host: string; readonly port: number }, target: number): Promise<Server> {
  const server = createServer((near) => {
    const far = connect({ host: "127.0.0.1", port: target });
    near.pipe(far).pipe(near);
    for (const socket of [near, far]) socket.on("error", () => socket.destroy());
  });
  await new Promise<void>((done) => server.listen(from, done));
  return server;
}

const close = (server: Server) => new Promise((done) => server.close(done));

describe("our client on a real cluster-info", () => {
  let controlPlane: ControlPlane;
  let token: string;
  let address: string;
  let pin: string;

  beforeAll(async () => {
    controlPlane = await startControlPlane({ controllers: ["bootstrapsigner"] });
    token = await controlPlane.createBootstrapToken();
    address = `127.0.0.1:${controlPlane.port}`;
    const [block] = parsePem(controlPlane.caPem);
    if (block === undefined) expect.unreachable("kubeadm wrote a CA");
    pin = caPinOf(parseCertificate(block.bytes));
  });
  afterAll(() => controlPlane?.stop());

  const readDocument = async () => {
    const path = "jsonpath={.data.kubeconfig}";
    return (await controlPlane.kubectl(["get", "cm", "cluster-info", "-n", "kube-public", "-o", path])).stdout;
  };

  it("discovers by token, with and without the pin that kubeadm prints", async () => {
    for (const caCertHashes of [[], [pin]]) {
      const found = await find({ token, address, caCertHashes });
      expect(found).toMatchObject({ server: controlPlane.url, usesSystemRoots: false });
      expect(found.caPem.trim()).toBe(controlPlane.caPem.trim());
      expect(found.kubeconfigText).toBe(await readDocument());
    }
    const { stdout } = await runCommandOk(locateBinary("kubeadm").path, [
      ...["token", "create", "--print-join-command", "--kubeconfig", controlPlane.adminKubeconfigPath],
    ]);
    expect(stdout).toContain(`--discovery-token-ca-cert-hash ${pin}`);
  });

  it("takes the line that kubeadm prints, word by word", async () => {
    const { stdout } = await runCommandOk(locateBinary("kubeadm").path, [
      ...["token", "create", "--print-join-command", "--kubeconfig", controlPlane.adminKubeconfigPath],
    ]);
    const words = stdout.trim().split(/\s+/);
    const wordAfter = (flag: string) => words[words.indexOf(flag) + 1];
    const printed = {
      address: words[2],
      token: wordAfter("--token"),
      caCertHashes: [wordAfter("--discovery-token-ca-cert-hash") ?? ""],
    };
    expect(await find(printed)).toMatchObject({ server: controlPlane.url });
  });

  it("refuses a wrong pin, a wrong secret and an address that is not in the certificate", async () => {
    const wrongPin = `sha256:${"ab".repeat(32)}`;
    await expect(find({ token, address, caCertHashes: [wrongPin] })).rejects.toMatchObject({
      detail: { check: "ca-is-pinned" },
    });
    const wrongSecret = `${token.split(".")[0]}.${"0".repeat(16)}`;
    await expect(find({ token: wrongSecret, address })).rejects.toMatchObject({
      detail: { check: "signature-is-valid" },
    });
    const elsewhere = await forward({ host: "127.0.0.2", port: controlPlane.port }, controlPlane.port);
    await expect(find({ token, address: `127.0.0.2:${controlPlane.port}` })).rejects.toMatchObject({
      detail: { check: "server-holds-a-certificate-of-the-ca" },
    });
    await close(elsewhere);
  });

  it("takes kubeadm's document as a file, as YAML and as JSON, and refuses its admin.conf", async () => {
    const path = join(workspace.dir, "cluster-info.yaml");
    await writeFile(path, await readDocument());
    expect(await find({ clusterInfoFile: path })).toMatchObject({ server: controlPlane.url });
    const config = parseKubeconfig(await readDocument());
    const json = join(workspace.dir, "cluster-info.json");
    await writeFile(json, JSON.stringify({ kind: "Config", apiVersion: "v1", clusters: config.clusters }));
    expect(await find({ discoveryFile: json })).toMatchObject({ server: controlPlane.url });
    const admin = { discoveryFile: controlPlane.adminKubeconfigPath };
    await expect(find(admin)).rejects.toMatchObject({ detail: { check: "document-carries-no-credentials" } });
    const asked = await find({ ...admin, withCredentials: true });
    expect(asked.user).toHaveProperty("client-key-data");
  });

  it("writes kubeconfigs that real kubectl and kubeadm read, extension and all", async () => {
    const found = {
      ...(await find({ token, address })),
      clusterId: "of-a-test",
      servers: [controlPlane.url, "https://127.0.0.1:1"],
    };
    const path = join(workspace.dir, "ours.kubeconfig");
    const admin = parseKubeconfig(await readFile(controlPlane.adminKubeconfigPath, "utf8"));
    const [identity] = admin.users;
    await writeFile(path, encodeClusterKubeconfig(found, { name: "ours", user: identity?.user }), { mode: 0o600 });
    const ready = await controlPlane.kubectl(["get", "--raw", "/readyz"], { kubeconfig: path });
    expect(ready.stdout).toBe("ok");
    const document = join(workspace.dir, "ours.yaml");
    await writeFile(document, encodeClusterInfo(found));
    expect(await find({ clusterInfoFile: document })).toMatchObject({ clusterId: "of-a-test", servers: found.servers });
    const [entry] = parseKubeconfig(encodeClusterInfo(found)).clusters;
    const clusters = admin.clusters.map(({ name }) => ({ name, cluster: entry?.cluster ?? { server: "" } }));
    const withExtension = join(workspace.dir, "admin-with-extension.conf");
    await writeFile(withExtension, encodeKubeconfig({ ...admin, clusters }), { mode: 0o600 });
    const { stdout } = await runCommandOk(locateBinary("kubeadm").path, [
      "token",
      "list",
      "--kubeconfig",
      withExtension,
    ]);
    expect(stdout).toContain(token.split(".")[0]);
  });

  it("follows the cluster when its document changes, and real kubeadm's signer signs the extension too", async () => {
    const method = parseDiscoveryMethod({ token, address });
    const cluster = await discover(method, deps);
    const cached: CachedDiscovery = { cluster, way: wayOf(method), foundMs: 0, confirmedMs: 0 };
    expect(await refreshDiscovery(cached, deps)).toMatchObject({ hasChanged: false });
    const [entry] = parseKubeconfig(await readDocument()).clusters;
    const other = `https://localhost:${controlPlane.port}`;
    const extension = clusterLocationExtension({ clusterId: "id-1", servers: [controlPlane.url, other] });
    const kubeconfig = encodeKubeconfig({
      clusters: [{ name: "", cluster: { ...entry?.cluster, server: controlPlane.url, extensions: [extension] } }],
      users: [],
      contexts: [],
      currentContext: "",
    });
    const patch = JSON.stringify({ data: { kubeconfig } });
    const args = ["patch", "cm", "cluster-info", "-n", "kube-public", "--type=merge", "-p", patch];
    expect((await controlPlane.kubectl(args)).code).toBe(0);
    const next = await refreshDiscovery(cached, deps);
    expect(next).toMatchObject({
      hasChanged: true,
      cluster: { clusterId: "id-1", servers: [controlPlane.url, other] },
    });
    expect((await verifyServers(next.cluster, deps)).map(({ ok }) => ok)).toEqual([true, true]);
    await expect
      .poll(
        () =>
          find({ token, address, clusterId: "id-1" }).then(
            ({ clusterId }) => clusterId,
            () => "",
          ),
        {
          timeout: patient(20_000),
        },
      )
      .toBe("id-1");
  });
});

describe("a join that starts before the control plane", () => {
  let controlPlane: ControlPlane | undefined;
  let controller: OurController | undefined;
  let way: Server | undefined;
  afterAll(async () => {
    if (way !== undefined) await close(way);
    await controller?.stop();
    await controlPlane?.stop();
  });

  it("waits, aloud, and ends with a certificate", async () => {
    const [port = 0] = await findFreePorts(1);
    const token = generateToken(randomBytes);
    waited.length = 0;
    const joining = joinNode({
      discovery: parseDiscoveryMethod({ token: encodeToken(token), address: `127.0.0.1:${port}` }),
      nodeName: "early-bird",
      directory: join(workspace.dir, "early-bird"),
      provider: createInsecureProvider(),
      clock: systemClock,
      waiting: (why) => waited.push(why),
    });
    joining.catch(() => undefined);
    const started = await startControlPlane();
    controlPlane = started;
    expect(waited.join()).toContain("no connection");
    controller = await startOurController(started);
    way = await forward({ host: "127.0.0.1", port }, started.port);
    await runCommandOk(locateBinary("kubeadm").path, [
      ...["token", "create", encodeToken(token), "--ttl", "1h", "--kubeconfig", started.adminKubeconfigPath],
    ]);
    expect(await joining).toMatchObject({ nodeName: "early-bird", server: started.url, wasJoined: false });
    expect(waited.length).toBeGreaterThan(1);
    expect(waited.join()).not.toContain(token.secret);
  });
});
