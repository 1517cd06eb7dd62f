// Our cluster-info signer in the place of kube-controller-manager's bootstrapsigner and tokencleaner: the real kubeadm
// discovers by what it signed, on a real kube-apiserver and on the embedded one.

import { createHash, X509Certificate } from "node:crypto";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { buildTokenSecret, encodeToken, generateToken } from "../../src/api/bootstrap/index.ts";
import { parseKubeconfig } from "../../src/api/kubeconfig/index.ts";
import { randomBytes } from "../../src/platform/keys/index.ts";
import { aTestCa } from "../builders/tls-pair.ts";
import { locateBinary } from "./assets/binaries.mjs";
import { type CommandResult, runCommand } from "./harness/command.ts";
import {
  type ControlPlane,
  type OurController,
  startControlPlane,
  startEmbedded,
  startOurControllerProgram,
  uploadKubeadmConfig,
  waitFor,
} from "./harness/index.ts";

const LIMIT_MS = 15_000;

/**
 * The first phase of `kubeadm join`, in which it discovers the cluster and reads its configuration; nothing is written.
 */
async function discoverWithKubeadm(plane: ControlPlane, token: string): Promise<CommandResult> {
  const spki = new X509Certificate(plane.caPem).publicKey.export({ type: "spki", format: "der" });
  const configuration = {
    apiVersion: "kubeadm.k8s.io/v1beta4",
    kind: "JoinConfiguration",
    nodeRegistration: { name: "worker", criSocket: "unix:///nonexistent/cri.sock", ignorePreflightErrors: ["all"] },
    discovery: {
      bootstrapToken: {
        token,
        apiServerEndpoint: `127.0.0.1:${plane.port}`,
        caCertHashes: [`sha256:${createHash("sha256").update(spki).digest("hex")}`],
      },
    },
    timeouts: { discovery: "6s" },
  };
  const path = join(plane.dir, `join-${token.slice(0, 6)}.json`);
  await writeFile(path, JSON.stringify(configuration), { mode: 0o600 });
  return runCommand(locateBinary("kubeadm").path, ["join", "phase", "preflight", "--config", path, "-v=1"], {
    limitMs: 60_000,
  });
}

async function clusterInfoOf(plane: ControlPlane): Promise<Readonly<Record<string, string>>> {
  const { stdout } = await plane.kubectl(["get", "configmap", "cluster-info", "-n", "kube-public", "-o", "json"]);
  return JSON.parse(stdout).data;
}

const signaturesOf = (data: Readonly<Record<string, string>>) =>
  Object.keys(data)
    .filter((key) => key.startsWith("jws-kubeconfig-"))
    .map((key) => key.slice("jws-kubeconfig-".length));

/** kubeadm's own phase has made a token too, so others may stand beside those asked for. */
async function untilSigned(plane: ControlPlane, id: string, wanted: boolean): Promise<void> {
  await waitFor({
    what: `the signature of ${id} to be ${wanted ? "there" : "gone"}`,
    limitMs: LIMIT_MS,
    probe: async () => (signaturesOf(await clusterInfoOf(plane)).includes(id) === wanted ? true : undefined),
  });
}

describe.each<[string, () => Promise<ControlPlane>, boolean]>([
  ["a real kube-apiserver with our controller", () => startControlPlane(), true],
  ["the embedded control plane", startEmbedded, false],
])("kubeadm join discovers through our signer on %s", (_name, start, needsController) => {
  let plane: ControlPlane;
  let controller: OurController | undefined;
  let token: string;

  beforeAll(async () => {
    plane = await start();
    if (needsController) controller = await startOurControllerProgram(plane);
    await uploadKubeadmConfig(plane);
    token = await plane.createBootstrapToken();
  });
  afterAll(async () => {
    await controller?.stop();
    await plane?.stop();
  });

  it("finds the cluster by the signature", async () => {
    const { code, stdout, stderr } = await discoverWithKubeadm(plane, token);
    expect(code, stdout + stderr).toBe(0);
    expect(stdout + stderr).toMatch(/cluster info signature and contents are valid/i);
  });

  it("does not find it with a token that may not sign, nor with a wrong secret", async () => {
    const own = generateToken(randomBytes);
    const secret = buildTokenSecret(own, { nowMs: Date.now(), ttlMs: 600_000, usages: ["authentication"] });
    const path = join(plane.dir, "no-signing.json");
    await writeFile(path, JSON.stringify(secret));
    await plane.kubectl(["create", "-f", path]);
    const [unsigned, wrong] = await Promise.all([
      discoverWithKubeadm(plane, encodeToken(own)),
      discoverWithKubeadm(plane, `${token.slice(0, 6)}.0000000000000000`),
    ]);
    expect(unsigned.code).not.toBe(0);
    expect(wrong.code).not.toBe(0);
    expect(wrong.stdout + wrong.stderr).toMatch(/failed to verify JWS signature/i);
  });

  it("drops the signature of a token that is deleted, and removes a token whose time is over", async () => {
    const brief = generateToken(randomBytes);
    const secret = buildTokenSecret(brief, { nowMs: Date.now(), ttlMs: 4_000 });
    const path = join(plane.dir, "brief.json");
    await writeFile(path, JSON.stringify(secret));
    await plane.kubectl(["create", "-f", path]);
    const id = (await plane.createBootstrapToken()).slice(0, 6);
    await untilSigned(plane, id, true);
    await plane.kubectl(["delete", "secret", `bootstrap-token-${id}`, "-n", "kube-system"]);
    await untilSigned(plane, id, false);
    const { stdout } = await plane.kubectl(["get", "secrets", "-n", "kube-system", "-o", "name"]);
    expect(stdout).toContain(token.slice(0, 6));
    await waitFor({
      what: "the expired token to be removed",
      limitMs: LIMIT_MS,
      probe: async () =>
        (await plane.kubectl(["get", "secret", `bootstrap-token-${brief.id}`, "-n", "kube-system"])).code === 0
          ? undefined
          : true,
    });
    await untilSigned(plane, brief.id, false);
    await untilSigned(plane, token.slice(0, 6), true);
  });
});

describe("where the operator says where the cluster is", () => {
  let plane: ControlPlane;
  let controller: OurController | undefined;
  let caFile: string;
  let token: string;

  beforeAll(async () => {
    plane = await startControlPlane();
    await uploadKubeadmConfig(plane);
    token = await plane.createBootstrapToken();
    caFile = join(plane.dir, "roots.pem");
    await writeFile(caFile, plane.caPem);
    await plane.kubectl(["delete", "configmap", "cluster-info", "-n", "kube-public"]);
    const flags = [`--cluster-info-server=${plane.url}`, `--cluster-info-ca-file=${caFile}`];
    controller = await startOurControllerProgram(plane, flags);
    await untilSigned(plane, token.slice(0, 6), true);
  });
  afterAll(async () => {
    await controller?.stop();
    await plane?.stop();
  });

  const cluster = async () => parseKubeconfig((await clusterInfoOf(plane))["kubeconfig"] ?? "").clusters[0];

  it("a missing cluster-info is made, and kubeadm discovers by it", async () => {
    expect(await cluster()).toMatchObject({ name: "", cluster: { server: plane.url } });
    const { code, stdout, stderr } = await discoverWithKubeadm(plane, token);
    expect(code, stdout + stderr).toBe(0);
  });

  it("a CA that is added is in it a moment later, signed anew, and kubeadm still discovers", async () => {
    const bundle = `${await readFile(caFile, "utf8")}${aTestCa("next").certPem}`;
    await writeFile(caFile, bundle);
    await waitFor({
      what: "cluster-info to hold both roots",
      limitMs: LIMIT_MS,
      probe: async () => {
        const encoded = (await cluster())?.cluster["certificate-authority-data"] ?? "";
        return Buffer.from(encoded, "base64").toString() === bundle ? true : undefined;
      },
    });
    const { code, stdout, stderr } = await discoverWithKubeadm(plane, token);
    expect(code, stdout + stderr).toBe(0);
  });
});
