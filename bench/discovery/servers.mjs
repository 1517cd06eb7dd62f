// What is read from: the embedded server, a real kube-apiserver, and the gateway before that one; each a process of its
// own, all with one PKI and one token.
import { spawn } from "node:child_process";
import { generateKeyPairSync } from "node:crypto";
import { once } from "node:events";
import { cpSync, mkdirSync, mkdtempSync, openSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { buildTokenSecret, generateToken } from "../../dist/api/bootstrap/index.js";
import { encodeKubeconfig } from "../../dist/api/kubeconfig/index.js";
import { loadOrCreatePki } from "../../dist/plane/pki.js";
import { randomBytes } from "../../dist/platform/keys/index.js";
import { locateBinary } from "../../test/upstream/assets/binaries.mjs";
import { ensureAssets } from "../../test/upstream/assets/build.mjs";
import { createClient } from "../apiserver/client.mjs";

/**
 * @typedef {{ readonly id: string, readonly secret: string }} Token
 * @typedef {{ readonly url: string, readonly caPem: string, readonly token: Token }} Readable
 */

const DIST = process.env["COUNTERSIGN_DIST"] ?? join(import.meta.dirname, "../../dist");
const NODE_FLAGS = (process.env["COUNTERSIGN_BENCH_NODE_FLAGS"] ?? "").split(" ").filter((flag) => flag !== "");
const READY_LIMIT_MS = 60_000;

export async function startServers() {
  if (!locateBinary("etcd").present || !locateBinary("kube-apiserver").present) await ensureAssets();
  const folder = mkdtempSync(join(tmpdir(), "countersign-bench-"));
  const pki = join(folder, "pki");
  const { ca, issueClient } = await loadOrCreatePki({ directory: pki, nowMs: Date.now(), hosts: ["127.0.0.1"] });
  const admin = issueClient({ name: "bench-admin", groups: ["system:masters"] });
  writePair(pki, "front-proxy", issueClient({ name: "front-proxy-client", groups: [] }));
  const { privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  writeFileSync(join(pki, "sa.key"), privateKey.export({ type: "sec1", format: "pem" }), { mode: 0o600 });
  const ports = await freePorts(5);
  const children = [
    startEmbedded(folder, pki, Number(ports[0])),
    ...startUpstream(folder, pki, ports.slice(1, 4).map(Number)),
  ];
  const token = generateToken(randomBytes);
  const urlOf = (/** @type {number | undefined} */ port) => `https://127.0.0.1:${port}`;
  const [embedded, direct, gateway] = [urlOf(ports[0]), urlOf(ports[1]), urlOf(ports[4])];
  const stop = async () => {
    for (const child of children) await end(child);
    rmSync(folder, { recursive: true, force: true });
  };
  try {
    for (const url of [embedded, direct]) {
      const client = createClient({ url, caPem: ca.certPem, ...admin });
      await until(() => client.isReady(), `${url} to be ready`);
      await prepare(client, token);
      await client.close();
    }
    const kubeconfig = writeKubeconfig(join(folder, "gateway.conf"), { server: direct, caPem: ca.certPem, admin });
    children.push(startGateway({ folder, pki, kubeconfig, direct, port: Number(ports[4]) }));
    const readable = (/** @type {string} */ url) => ({ url, caPem: ca.certPem, token });
    await until(async () => await answers(gateway, { caPem: ca.certPem, ...admin }), "the gateway to answer");
    await sleep(1_000); // its informer has the token by then
    return { embedded: readable(embedded), direct: readable(direct), gateway: readable(gateway), stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

/**
 * A document of 1 KiB, who may read it, and the token.
 * @param {import("../apiserver/client.mjs").Client} client @param {Readable["token"]} token
 */
async function prepare(client, token) {
  const rbac = "/apis/rbac.authorization.k8s.io/v1/namespaces/kube-public";
  const name = "bench-reader";
  const apiGroup = "rbac.authorization.k8s.io";
  const maps = "/api/v1/namespaces/kube-public/configmaps";
  /** @param {string} path @param {object} object */
  const create = (path, object) => client.ask("POST", path, JSON.stringify(object));
  await create("/api/v1/namespaces/kube-system/secrets", buildTokenSecret(token, { nowMs: Date.now() }));
  await create(`${rbac}/roles`, {
    metadata: { name },
    rules: [{ apiGroups: [""], resources: ["configmaps"], verbs: ["get"] }],
  });
  await create(`${rbac}/rolebindings`, {
    metadata: { name },
    roleRef: { apiGroup, kind: "Role", name },
    subjects: [{ apiGroup, kind: "Group", name: "system:authenticated" }],
  });
  const map = JSON.stringify({
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: { name: "cluster-info" },
    data: document(),
  });
  await client.ask("POST", maps, map).catch(() => client.ask("PUT", `${maps}/cluster-info`, map));
}

/** With metadata around it, the answer is a little over 1 KiB. */
function document() {
  return { kubeconfig: "x".repeat(640) };
}

/** @param {string} url @param {{ caPem: string, certPem: string, keyPem: string }} identity */
async function answers(url, identity) {
  const client = createClient({ url, ...identity });
  try {
    return await client.isReady();
  } finally {
    await client.close();
  }
}

/** @param {string} folder @param {string} pki @param {number} port */
function startEmbedded(folder, pki, port) {
  const data = join(folder, "cluster");
  cpSync(pki, join(data, "pki"), { recursive: true });
  const args = [join(DIST, "bin", "countersign.js"), "up", "--port", String(port), "--data-dir", data];
  return launch(process.execPath, [...NODE_FLAGS, ...args], folder);
}

/** @param {string} folder @param {string} pki @param {readonly number[]} ports */
function startUpstream(folder, pki, [port, clientPort, peerPort]) {
  const [client, peer] = [`http://127.0.0.1:${clientPort}`, `http://127.0.0.1:${peerPort}`];
  const etcd = launch(
    locateBinary("etcd").path,
    [
      ...[`--data-dir=${join(folder, "etcd")}`, `--listen-client-urls=${client}`, `--advertise-client-urls=${client}`],
      ...[`--listen-peer-urls=${peer}`, `--initial-advertise-peer-urls=${peer}`, `--initial-cluster=default=${peer}`],
    ],
    folder,
  );
  const server = launch(
    locateBinary("kube-apiserver").path,
    [
      `--etcd-servers=${client}`,
      ...["--bind-address=127.0.0.1", `--secure-port=${port}`, "--advertise-address=127.0.0.1"],
      ...["--endpoint-reconciler-type=none", "--service-cluster-ip-range=10.96.0.0/16"],
      ...[`--tls-cert-file=${join(pki, "apiserver.crt")}`, `--tls-private-key-file=${join(pki, "apiserver.key")}`],
      ...[`--client-ca-file=${join(pki, "ca.crt")}`, `--requestheader-client-ca-file=${join(pki, "ca.crt")}`],
      ...["--requestheader-allowed-names=front-proxy-client", "--requestheader-username-headers=X-Remote-User"],
      ...["--requestheader-group-headers=X-Remote-Group", "--requestheader-extra-headers-prefix=X-Remote-Extra-"],
      "--service-account-issuer=https://kubernetes.default.svc.cluster.local",
      ...["signing-key-file", "key-file"].map((flag) => `--service-account-${flag}=${join(pki, "sa.key")}`),
      ...["--authorization-mode=Node,RBAC", "--enable-bootstrap-token-auth=true"],
    ],
    folder,
  );
  return [server, etcd];
}

/** @param {{ folder: string, pki: string, kubeconfig: string, direct: string, port: number }} options */
function startGateway({ folder, pki, kubeconfig, direct, port }) {
  const file = (/** @type {string} */ name) => join(pki, name);
  const args = [
    ...[
      "--listen",
      `127.0.0.1:${port}`,
      "--status-address",
      "none",
      "--log-level",
      "error",
      "--kubeconfig",
      kubeconfig,
    ],
    ...["--backend", direct, "--backend-ca-file", file("ca.crt"), "--client-ca-file", file("ca.crt")],
    ...["--tls-cert-file", file("apiserver.crt"), "--tls-private-key-file", file("apiserver.key")],
    ...["--proxy-client-cert-file", file("front-proxy.crt"), "--proxy-client-key-file", file("front-proxy.key")],
  ];
  return launch(process.execPath, [...NODE_FLAGS, join(DIST, "bin", "countersign-gateway.js"), ...args], folder);
}

/** @param {string} path @param {{ server: string, caPem: string, admin: { certPem: string, keyPem: string } }} way */
function writeKubeconfig(path, { server, caPem, admin }) {
  const base64 = (/** @type {string} */ text) => Buffer.from(text).toString("base64");
  const cluster = { server, "certificate-authority-data": base64(caPem) };
  const user = { "client-certificate-data": base64(admin.certPem), "client-key-data": base64(admin.keyPem) };
  const text = encodeKubeconfig({
    clusters: [{ name: "bench", cluster }],
    users: [{ name: "bench", user }],
    contexts: [{ name: "bench", context: { cluster: "bench", user: "bench" } }],
    currentContext: "bench",
  });
  writeFileSync(path, text, { mode: 0o600 });
  return path;
}

/** @param {string} folder @param {string} name @param {{ certPem: string, keyPem: string }} pair */
function writePair(folder, name, { certPem, keyPem }) {
  writeFileSync(join(folder, `${name}.crt`), certPem);
  writeFileSync(join(folder, `${name}.key`), keyPem, { mode: 0o600 });
}

/** @param {string} command @param {readonly string[]} args @param {string} folder */
function launch(command, args, folder) {
  mkdirSync(folder, { recursive: true });
  const log = openSync(join(folder, "log"), "a");
  const child = spawn(command, args, { cwd: folder, stdio: ["ignore", log, log] });
  process.once("exit", () => child.kill("SIGKILL"));
  return child;
}

/** @param {() => Promise<boolean>} probe @param {string} what */
async function until(probe, what) {
  const limit = performance.now() + READY_LIMIT_MS;
  while (performance.now() < limit) {
    if (await probe()) return;
    await sleep(50);
  }
  throw new Error(`waited ${READY_LIMIT_MS} ms for ${what}`);
}

/** @param {import("node:child_process").ChildProcess} child */
async function end(child) {
  if (child.exitCode !== null) return;
  child.kill("SIGTERM");
  await once(child, "exit");
}

/** @param {number} count @returns {Promise<number[]>} */
async function freePorts(count) {
  const servers = Array.from({ length: count }, () => createServer().listen(0, "127.0.0.1"));
  await Promise.all(servers.map((server) => once(server, "listening")));
  const ports = servers.map((server) => Number(/** @type {{ port: number }} */ (server.address()).port));
  await Promise.all(servers.map((server) => once(server.close(), "close")));
  return ports;
}
