// A real etcd and kube-apiserver for the controllers under measurement, with one RSA-2048 CA for everything: it signs
// the server's certificate, the administrator's, and what the controllers issue.
import { spawn } from "node:child_process";
import { createPrivateKey, generateKeyPairSync } from "node:crypto";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, openSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { locateBinary } from "../../test/upstream/assets/binaries.mjs";
import { ensureAssets } from "../../test/upstream/assets/build.mjs";
import { createClient } from "../apiserver/client.mjs";
import { loadProduct } from "./product.mjs";

const READY_LIMIT_MS = 60_000;
const DAY_MS = 86_400_000;

export async function startPlane() {
  if (!locateBinary("etcd").present || !locateBinary("kube-apiserver").present) await ensureAssets();
  const folder = mkdtempSync(join(tmpdir(), "countersign-bench-"));
  const pki = await createPki(join(folder, "pki"));
  const [port, clientPort, peerPort] = await freePorts(3);
  const [client, peer] = [`http://127.0.0.1:${clientPort}`, `http://127.0.0.1:${peerPort}`];
  /** @type {import("node:child_process").ChildProcess[]} */
  const children = [];
  // So that "exit" comes, by which the servers end.
  process.once("SIGTERM", () => process.exit(143));
  process.once("exit", () => {
    for (const child of children) child.kill("SIGKILL");
  });
  /** @param {string} name @param {string} command @param {readonly string[]} args */
  const launch = (name, command, args) => {
    const log = openSync(join(folder, `${name}.log`), "a");
    const child = spawn(command, args, { cwd: folder, stdio: ["ignore", log, log] });
    children.push(child);
    return child;
  };
  const etcd = launch("etcd", locateBinary("etcd").path, [
    `--data-dir=${join(folder, "etcd")}`,
    ...[`--listen-client-urls=${client}`, `--advertise-client-urls=${client}`],
    ...[`--listen-peer-urls=${peer}`, `--initial-advertise-peer-urls=${peer}`, `--initial-cluster=default=${peer}`],
  ]);
  const server = launch("kube-apiserver", locateBinary("kube-apiserver").path, [
    `--etcd-servers=${client}`,
    ...["--bind-address=127.0.0.1", `--secure-port=${port}`, "--advertise-address=127.0.0.1"],
    ...["--endpoint-reconciler-type=none", "--service-cluster-ip-range=10.96.0.0/16"],
    ...[`--tls-cert-file=${pki.file("server.crt")}`, `--tls-private-key-file=${pki.file("server.key")}`],
    `--client-ca-file=${pki.file("ca.crt")}`,
    "--service-account-issuer=https://kubernetes.default.svc.cluster.local",
    ...["signing-key-file", "key-file"].map((flag) => `--service-account-${flag}=${pki.file("sa.key")}`),
    ...["--authorization-mode=Node,RBAC", "--enable-admission-plugins=NodeRestriction"],
    "--enable-bootstrap-token-auth=true",
  ]);
  const url = `https://127.0.0.1:${port}`;
  const connect = () => createClient({ url, caPem: pki.ca.certPem, ...pki.admin });
  await untilReady(connect());
  return {
    url,
    folder,
    pki,
    pids: { "kube-apiserver": Number(server.pid), etcd: Number(etcd.pid) },
    connect,
    launch,
    kubeconfig: pki.writeKubeconfig(url),
    freePort: async () => (await freePorts(1))[0] ?? 0,
    async stop() {
      for (const child of children.reverse()) {
        if (child.exitCode !== null || child.signalCode !== null) continue;
        child.kill("SIGKILL");
        await once(child, "exit");
      }
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** @param {import("../apiserver/client.mjs").Client} client */
async function untilReady(client) {
  const end = performance.now() + READY_LIMIT_MS;
  try {
    while (performance.now() < end) {
      if (await client.isReady()) return;
      await sleep(20);
    }
    throw new Error(`kube-apiserver was not ready within ${READY_LIMIT_MS} ms`);
  } finally {
    await client.close();
  }
}

/** @param {string} folder */
async function createPki(folder) {
  const { x509, keys, pem } = await loadProduct();
  mkdirSync(folder, { mode: 0o700 });
  const file = (/** @type {string} */ name) => join(folder, name);
  const caKey = keys.generatePrivateKey("RSA-2048");
  const subject = x509.encodeName({ commonName: "kubernetes" });
  const keyId = x509.computeKeyId(x509.parsePublicKey(caKey.signer.publicKey));
  /** @param {object} more */
  const sign = (more) =>
    x509.signCertificate(
      {
        serialNumber: Uint8Array.of(1, ...keys.randomBytes(15)),
        issuer: subject,
        notBeforeMs: Date.now() - DAY_MS,
        notAfterMs: Date.now() + 365 * DAY_MS,
        ...more,
      },
      caKey.signer,
    );
  const caDer = sign({
    subject,
    notAfterMs: Date.now() + 3650 * DAY_MS,
    publicKey: caKey.signer.publicKey,
    extensions: [
      x509.keyUsageExtension(["digitalSignature", "keyEncipherment", "keyCertSign"]),
      x509.basicConstraintsExtension({ ca: true }),
      x509.subjectKeyIdExtension(keyId),
    ],
  });
  /** @param {object} name @param {string} usage @param {readonly object[]} more */
  const issue = (name, usage, more = []) => {
    const key = keys.generatePrivateKey("P-256");
    const extensions = [x509.extKeyUsageExtension([usage]), x509.authorityKeyIdExtension(keyId), ...more];
    const der = sign({ subject: name, publicKey: key.signer.publicKey, extensions });
    return { certPem: pem.encodePem("CERTIFICATE", der), keyPem: key.encodePem() };
  };
  const ca = { certPem: pem.encodePem("CERTIFICATE", caDer), keyPem: caKey.encodePem() };
  const names = { ipAddresses: ["127.0.0.1"], dnsNames: ["localhost"], uris: [], emails: [] };
  const server = issue({ commonName: "kube-apiserver" }, x509.EKU_SERVER_AUTH, [x509.subjectAltNameExtension(names)]);
  const admin = issue({ commonName: "bench", organizations: ["system:masters"] }, x509.EKU_CLIENT_AUTH);
  const { privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const save = (/** @type {string} */ name, /** @type {string | Buffer} */ text) =>
    writeFileSync(file(name), text, { mode: 0o600 });
  save("ca.crt", ca.certPem);
  // kube-controller-manager reads PKCS#1, SEC1 and PKCS#8; the last is what ours writes for RSA.
  save("ca.key", createPrivateKey(ca.keyPem).export({ type: "pkcs1", format: "pem" }));
  save("server.crt", server.certPem);
  save("server.key", server.keyPem);
  save("sa.key", privateKey.export({ type: "sec1", format: "pem" }));
  return {
    ca,
    admin,
    file,
    /** @param {string} url */
    writeKubeconfig(url) {
      const base64 = (/** @type {string} */ text) => Buffer.from(text).toString("base64");
      const config = {
        apiVersion: "v1",
        kind: "Config",
        clusters: [{ name: "c", cluster: { server: url, "certificate-authority-data": base64(ca.certPem) } }],
        users: [
          {
            name: "u",
            user: { "client-certificate-data": base64(admin.certPem), "client-key-data": base64(admin.keyPem) },
          },
        ],
        contexts: [{ name: "x", context: { cluster: "c", user: "u" } }],
        "current-context": "x",
      };
      save("kubeconfig", JSON.stringify(config));
      return file("kubeconfig");
    },
  };
}

/** @param {number} count @returns {Promise<number[]>} */
async function freePorts(count) {
  const servers = Array.from({ length: count }, () => createServer().listen(0, "127.0.0.1"));
  await Promise.all(servers.map((server) => once(server, "listening")));
  const ports = servers.map((server) => Number(/** @type {{ port: number }} */ (server.address()).port));
  await Promise.all(servers.map((server) => once(server.close(), "close")));
  return ports;
}
