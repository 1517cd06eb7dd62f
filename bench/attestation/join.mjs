// A plain join and one with a TPM on a real kube-apiserver, under our own controller, in turn: from the key to the
// stored certificate, as join, plugin and manager do it. A plain join is three writes, one with a TPM eight. What swtpm
// takes for itself, which no product can change, is measured at its socket and taken off.
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { parse } from "yaml";
import { startOurs } from "../controller/controllers.mjs";
import { startPlane } from "../controller/plane.mjs";
import { median } from "../frame/measure.mjs";
import { loadParts } from "../frame/product.mjs";
import { createTimedProvider, isSwtpmInstalled, startSwtpm } from "./swtpm.mjs";

const JOINS = Number(process.env["COUNTERSIGN_BENCH_TPM_JOINS"] ?? "25");
/** Until V8 has compiled what a controller that runs for weeks has compiled. */
const WARM_UP = 10;
const HOUR_MS = 3_600_000;
const SETTLE_LIMIT_MS = 20_000;
const PLAIN_SIGNER = "kubernetes.io/kube-apiserver-client-kubelet";
const TPM_SIGNER = "cluster.x-k8s.io/kube-apiserver-client-kubelet-tpm";
const CRDS = new URL("../../deploy/crds/", import.meta.url);
const OWN = "countersign.dev/v1alpha1";

/** @typedef {Awaited<ReturnType<typeof createScene>>} Scene */

/**
 * Undefined where there is no swtpm.
 * @returns {Promise<number | undefined>} plain join's time ÷ TPM join's, less the TPM's own
 */
export async function measureJoins() {
  if (!isSwtpmInstalled()) {
    console.log("  join with a TPM: not measured, swtpm is not installed (packages swtpm, swtpm-tools)");
    return undefined;
  }
  const [plane, swtpm] = [await startPlane(), await startSwtpm()];
  try {
    const timed = await createTimedProvider(swtpm.path);
    const scene = await createScene(plane, timed);
    const controller = await startOurs(plane, "controller");
    const times = await joinInTurn(scene, timed);
    await scene.close();
    await controller.stop();
    const [plain, attested, own] = [median(times.plain), median(times.attested), median(times.own)];
    const ms = (/** @type {number} */ ns) => `${(ns / 1e6).toFixed(1)} ms`;
    const numbers = `plain ${ms(plain)}   TPM ${ms(attested)} beside the TPM's own ${ms(own)}`;
    console.log(`  ${"join".padEnd(22)} ${numbers}   (median of ${JOINS} each)`);
    return plain / attested;
  } finally {
    await swtpm.stop();
    await plane.stop();
  }
}

/** @param {Scene} scene @param {Awaited<ReturnType<typeof createTimedProvider>>} timed */
async function joinInTurn(scene, timed) {
  /** @type {Record<"plain" | "attested" | "own", number[]>} */
  const times = { plain: [], attested: [], own: [] };
  for (let i = -WARM_UP; i < JOINS; i++) {
    const plain = await scene.joinPlain(`plain-${i + WARM_UP}`);
    timed.takeSpentNs();
    const whole = await scene.joinAttested(`tpm-${i + WARM_UP}`);
    const own = timed.takeSpentNs();
    if (i < 0) continue;
    times.plain.push(plain);
    times.attested.push(whole - own);
    times.own.push(own);
  }
  return times;
}

/**
 * What both joins need: the rights that kubeadm gives to tokens, a token, our kinds, and a policy that lists the TPM.
 * @param {Awaited<ReturnType<typeof startPlane>>} plane
 * @param {Awaited<ReturnType<typeof createTimedProvider>>} timed
 */
async function createScene(plane, timed) {
  const { kube, meta, countersign, certificates, x509, clock } = await loadParts({
    ...{ kube: "platform/kube", meta: "api/meta", countersign: "api/countersign", clock: "platform/clock" },
    ...{ certificates: "node/certificates", x509: "kernel/x509" },
  });
  const caPem = plane.pki.ca.certPem;
  const connect = (/** @type {object} */ credentials) =>
    kube.createKubeClient({ server: plane.url, caPem, credentials: () => credentials });
  const admin = connect(plane.pki.admin);
  const identities = await installKinds(admin);
  const joining = connect({ token: await createToken(admin, meta) });
  await allowTokens(admin, meta);
  const endorsementKey = await listTpm(admin, timed);
  const folder = mkdtempSync(join(tmpdir(), "countersign-bench-"));
  const common = {
    ...{ client: joining, clock: clock.systemClock, provider: timed.provider, onRefusal: "new-key", intent: "join" },
    ...{
      roots: x509.readCertificates(caPem),
      evidenceCluster: certificates.evidenceClusterOf(caPem),
      isGood: () => true,
    },
  };
  /** @param {string} nodeName @param {string} signerName */
  const obtain = async (nodeName, signerName) => {
    const store = certificates.createCertificateStore({ directory: join(folder, nodeName), clock: clock.systemClock });
    const start = process.hrtime.bigint();
    await certificates.obtainCertificate({ ...common, store, nodeName, signerName });
    return Number(process.hrtime.bigint() - start);
  };
  return {
    /** @param {string} nodeName */
    joinPlain: (nodeName) => obtain(nodeName, PLAIN_SIGNER),
    /** The operator's word comes before, and the TPM is free for the next node after. @param {string} nodeName */
    async joinAttested(nodeName) {
      // As `countersign identity enroll --ek-hash` writes it.
      const metadata = { name: nodeName, labels: { [countersign.EK_LABEL]: countersign.ekLabelOf(endorsementKey) } };
      const spec = { nodeName, tpm: { ek: { spkiSha256: endorsementKey } } };
      await admin.create(identities, { apiVersion: OWN, kind: "NodeIdentity", metadata, spec });
      const spent = await obtain(nodeName, TPM_SIGNER);
      await admin.delete(identities, { name: nodeName });
      return spent;
    },
    async close() {
      await Promise.all([admin.close(), joining.close()]);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** @param {any} admin */
async function installKinds(admin) {
  const { countersign } = await loadParts({ countersign: "api/countersign" });
  const definitions = {
    group: "apiextensions.k8s.io",
    version: "v1",
    kind: "CustomResourceDefinition",
    namespaced: false,
  };
  for (const file of readdirSync(CRDS)) {
    const definition = parse(readFileSync(new URL(file, CRDS), "utf8"));
    await admin.create({ ...definitions, plural: "customresourcedefinitions" }, definition);
  }
  const end = performance.now() + SETTLE_LIMIT_MS;
  for (const kind of [countersign.JOIN_POLICIES, countersign.NODE_IDENTITIES]) {
    while (
      !(await admin.list(kind).then(
        () => true,
        () => false,
      ))
    ) {
      if (performance.now() > end) throw new Error(`${kind.plural} were not served within ${SETTLE_LIMIT_MS} ms`);
      await sleep(50);
    }
  }
  return countersign.NODE_IDENTITIES;
}

/** @param {any} admin @param {any} meta */
async function createToken(admin, meta) {
  const { bootstrap, keys } = await loadParts({ bootstrap: "api/bootstrap", keys: "platform/keys" });
  const token = bootstrap.generateToken(keys.randomBytes);
  await admin.create(meta.SECRETS, bootstrap.buildTokenSecret(token, { nowMs: Date.now(), ttlMs: HOUR_MS }));
  // Where the controller keeps its challenge keys.
  const metadata = { name: "countersign-system" };
  await admin.create(meta.NAMESPACES, { apiVersion: "v1", kind: "Namespace", metadata });
  return bootstrap.encodeToken(token);
}

/**
 * As kubeadm leaves a cluster: tokens may ask, and a plain request of theirs is approved.
 * @param {any} admin @param {any} meta
 */
async function allowTokens(admin, meta) {
  const apiGroup = "rbac.authorization.k8s.io";
  const subjects = [{ apiGroup, kind: "Group", name: "system:bootstrappers:kubeadm:default-node-token" }];
  const roles = {
    "kubeadm:kubelet-bootstrap": "system:node-bootstrapper",
    "kubeadm:node-autoapprove-bootstrap": "system:certificates.k8s.io:certificatesigningrequests:nodeclient",
  };
  for (const [name, role] of Object.entries(roles)) {
    await admin.create(meta.CLUSTER_ROLE_BINDINGS, {
      ...{ apiVersion: `${apiGroup}/v1`, kind: "ClusterRoleBinding", metadata: { name }, subjects },
      roleRef: { apiGroup, kind: "ClusterRole", name: role },
    });
  }
}

/**
 * The policy of the names that join with a TPM; returns its endorsement key, as operators write it down.
 * @param {any} admin @param {{ open(options: object): Promise<any> }} timed
 */
async function listTpm(admin, timed) {
  const { countersign, providers, kernel, crypto, clock } = await loadParts({
    ...{ countersign: "api/countersign", providers: "attestation", clock: "platform/clock" },
    ...{ kernel: "kernel/tpm", crypto: "kernel/crypto" },
  });
  const tpm = await timed.open({ clock: clock.systemClock, signal: AbortSignal.timeout(SETTLE_LIMIT_MS) });
  const { ek } = await providers.readTpmIdentity(tpm);
  await tpm.close();
  const { spki } = kernel.publicKeyOf(kernel.parsePublicArea(ek));
  const endorsementKey = Buffer.from(crypto.sha256(spki)).toString("hex");
  const limits = { newIdentitiesPerHour: 10_000 };
  const spec = {
    mode: "Enforce",
    nodeNames: "tpm-.*",
    limits,
    attestation: { tpm: { endorsementKeys: [endorsementKey] } },
  };
  await admin.create(countersign.JOIN_POLICIES, {
    ...{ apiVersion: OWN, kind: "JoinPolicy", metadata: { name: "tpm" }, spec },
  });
  return endorsementKey;
}
