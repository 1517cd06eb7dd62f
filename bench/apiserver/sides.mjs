// The two control planes that are compared. One PKI is made for both, so TLS costs both the same; each start is on an
// empty directory of its own, and both flush every write to the same disk.
import { spawn } from "node:child_process";
import { generateKeyPairSync } from "node:crypto";
import { once } from "node:events";
import { cpSync, mkdirSync, mkdtempSync, openSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { loadOrCreatePki } from "../../dist/plane/pki.js";
import { locateBinary } from "../../test/upstream/assets/binaries.mjs";
import { ensureAssets } from "../../test/upstream/assets/build.mjs";
import { createClient } from "./client.mjs";

/** @typedef {"embedded" | "upstream"} SideName */
/**
 * @typedef {{ readonly url: string, readonly children: readonly import("node:child_process").ChildProcess[] }} Running
 */

/** Another build, and flags of Node such as --cpu-prof, for whoever looks for the cause of a number. */
const DIST = process.env["COUNTERSIGN_DIST"] ?? join(import.meta.dirname, "../../dist");
const NODE_FLAGS = (process.env["COUNTERSIGN_BENCH_NODE_FLAGS"] ?? "").split(" ").filter((flag) => flag !== "");
const READY_LIMIT_MS = 60_000;

export async function createSides() {
  if (!locateBinary("etcd").present || !locateBinary("kube-apiserver").present) await ensureAssets();
  const folder = mkdtempSync(join(tmpdir(), "countersign-bench-"));
  const pki = join(folder, "pki");
  const { ca, issueClient } = await loadOrCreatePki({ directory: pki, nowMs: Date.now(), hosts: ["127.0.0.1"] });
  const admin = issueClient({ name: "bench-admin", groups: ["system:masters"] });
  writeServiceAccountKey(join(pki, "sa.key"));
  /** @type {Partial<Record<SideName, Running>>} */
  const running = {};
  let starts = 0;

  /** @param {SideName} name */
  const connect = (name) => createClient({ url: running[name]?.url ?? "", caPem: ca.certPem, ...admin });

  /** Ends what runs, starts anew and answers after how many milliseconds it was ready. @param {SideName} name */
  async function start(name) {
    await end(running[name]);
    const home = join(folder, `${name}-${++starts}`);
    mkdirSync(home);
    const began = performance.now();
    running[name] = await (name === "embedded" ? startEmbedded(home, pki) : startUpstream(home, pki));
    await waitUntilReady(connect(name), running[name]);
    return performance.now() - began;
  }

  return {
    start,
    connect,
    /** @param {SideName} name */
    processes: (name) => (running[name]?.children ?? []).map(({ pid }) => Number(pid)),
    async stop() {
      await Promise.all(Object.values(running).map(end));
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** @param {string} home @param {string} pki @returns {Promise<Running>} */
async function startEmbedded(home, pki) {
  const [port] = await freePorts(1);
  const data = join(home, "cluster");
  cpSync(pki, join(data, "pki"), { recursive: true });
  // kube-apiserver judges and signs nothing either.
  const duty = ["up", "--without-controller", "--port", String(port), "--data-dir", data];
  const args = [join(DIST, "bin", "countersign.js"), ...duty];
  return { url: `https://127.0.0.1:${port}`, children: [launch(process.execPath, [...NODE_FLAGS, ...args], home)] };
}

/**
 * The flags that kubeadm gives, without those that only tests need.
 * @param {string} home @param {string} pki @returns {Promise<Running>}
 */
async function startUpstream(home, pki) {
  const [port, clientPort, peerPort] = await freePorts(3);
  const [client, peer] = [`http://127.0.0.1:${clientPort}`, `http://127.0.0.1:${peerPort}`];
  const etcd = launch(
    locateBinary("etcd").path,
    [
      `--data-dir=${join(home, "etcd")}`,
      `--listen-client-urls=${client}`,
      `--advertise-client-urls=${client}`,
      `--listen-peer-urls=${peer}`,
      `--initial-advertise-peer-urls=${peer}`,
      `--initial-cluster=default=${peer}`,
    ],
    home,
  );
  const server = launch(
    locateBinary("kube-apiserver").path,
    [
      `--etcd-servers=${client}`,
      ...["--bind-address=127.0.0.1", `--secure-port=${port}`, "--advertise-address=127.0.0.1"],
      ...["--endpoint-reconciler-type=none", "--service-cluster-ip-range=10.96.0.0/16"],
      ...[`--tls-cert-file=${join(pki, "apiserver.crt")}`, `--tls-private-key-file=${join(pki, "apiserver.key")}`],
      `--client-ca-file=${join(pki, "ca.crt")}`,
      "--service-account-issuer=https://kubernetes.default.svc.cluster.local",
      ...["signing-key-file", "key-file"].map((flag) => `--service-account-${flag}=${join(pki, "sa.key")}`),
      ...["--authorization-mode=Node,RBAC", "--enable-admission-plugins=NodeRestriction"],
      "--enable-bootstrap-token-auth=true",
    ],
    home,
  );
  return { url: `https://127.0.0.1:${port}`, children: [server, etcd] };
}

/** @param {string} path */
function writeServiceAccountKey(path) {
  const { privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  writeFileSync(path, privateKey.export({ type: "sec1", format: "pem" }), { mode: 0o600 });
}

/**
 * Without the environment of whoever measures: NODE_EXTRA_CA_CERTS alone, where it is set, costs a start of Node 45 ms.
 * @param {string} command @param {readonly string[]} args @param {string} home
 */
function launch(command, args, home) {
  const log = openSync(join(home, "log"), "a");
  const env = { PATH: process.env["PATH"] ?? "", HOME: home };
  const child = spawn(command, args, { cwd: home, env, stdio: ["ignore", log, log] });
  process.once("exit", () => child.kill("SIGKILL"));
  return child;
}

/** @param {import("./client.mjs").Client} client @param {Running} running */
async function waitUntilReady(client, { children }) {
  const end = performance.now() + READY_LIMIT_MS;
  try {
    while (performance.now() < end) {
      if (await client.isReady()) return;
      const gone = children.find(({ exitCode }) => exitCode !== null);
      if (gone !== undefined) throw new Error(`${gone.spawnfile} ended with ${gone.exitCode}`);
      await sleep(5);
    }
    throw new Error(`not ready within ${READY_LIMIT_MS} ms`);
  } finally {
    await client.close();
  }
}

/** @param {Running | undefined} running */
async function end(running) {
  for (const child of running?.children ?? []) {
    if (child.exitCode !== null) continue;
    child.kill("SIGTERM");
    await once(child, "exit");
  }
}

/** @param {number} count @returns {Promise<number[]>} */
async function freePorts(count) {
  const servers = Array.from({ length: count }, () => createServer().listen(0, "127.0.0.1"));
  await Promise.all(servers.map((server) => once(server, "listening")));
  const ports = servers.map((server) => Number(/** @type {{ port: number }} */ (server.address()).port));
  await Promise.all(servers.map((server) => once(server.close(), "close")));
  return ports;
}
