// A provider that somebody began with `countersign provider new`, installed beside the product and used the whole way
// by its package's name: the controller loads its verifier, a machine joins and renews by its proof, the kubelet's
// plugin is its own program; and somebody with the same live token and another key.

import { type SpawnSyncReturns, spawnSync } from "node:child_process";
import { generateKeyPairSync } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { encodeToken, generateToken } from "../../src/api/bootstrap/index.ts";
import { parseKubeconfig } from "../../src/api/kubeconfig/index.ts";
import { randomBytes } from "../../src/platform/keys/index.ts";
import { installProduct, TSC } from "../builders/installed-product.ts";
import { patient } from "../patience.ts";
import { type Run, startProgram } from "./program.ts";

/** A build, a start and a join on a busy machine. */
const LIMIT_MS = patient(120_000);
const PACKAGE = "kubelet-authenticator-acme";

const work = mkdtempSync(join(tmpdir(), "countersign-acme-"));
const inside = (...names: string[]) => join(work, ...names);
const write = (name: string, content: unknown) => {
  writeFileSync(inside(name), typeof content === "string" ? content : JSON.stringify(content), { mode: 0o600 });
  return inside(name);
};

describe("a node with a provider of somebody else's", () => {
  let program: string;
  let conformance: string;
  let plane: Run;
  let server: string;
  const token = encodeToken(generateToken(randomBytes));

  const type = (...words: readonly string[]): SpawnSyncReturns<string> =>
    spawnSync(process.execPath, [program, ...words], { cwd: work, encoding: "utf8", timeout: patient(60_000) });

  /** A machine's key, and the settings that name it. */
  function aMachine(name: string): { readonly settings: string; readonly publicKey: string } {
    const { privateKey, publicKey } = generateKeyPairSync("ed25519");
    const keyFile = write(`${name}.pem`, privateKey.export({ type: "pkcs8", format: "pem" }).toString());
    const settings = write(`${name}.json`, { machine: "one", keyFile });
    return { settings, publicKey: publicKey.export({ type: "spki", format: "pem" }).toString() };
  }
  const own = aMachine("own");
  const foreign = aMachine("foreign");

  beforeAll(async () => {
    ({ program, conformance } = installProduct(inside("node_modules")));
    const made = type("provider", "new", "acme", "--directory", inside("node_modules", PACKAGE));
    expect(made).toMatchObject({ status: 0 });
    const built = spawnSync(process.execPath, [TSC], { cwd: inside("node_modules", PACKAGE), encoding: "utf8" });
    expect(built).toMatchObject({ status: 0, stdout: "" });
    const machinesFile = write("machines.json", { one: { key: own.publicKey, names: ["one.example"] } });
    const verifier = write("verifier.json", { machinesFile });
    const places = ["--data-dir", inside("cluster"), "--kubeconfig-out", inside("admin.kubeconfig"), "--port", "0"];
    const loaded = ["--provider-package", `${PACKAGE}=${verifier}`, "--token-file", write("token", token)];
    plane = startProgram(["up", ...places, ...loaded], { program });
    await plane.until("kubectl get csr,nodes");
    server = parseKubeconfig(readFileSync(inside("admin.kubeconfig"), "utf8")).clusters[0]?.cluster.server ?? "";
  }, LIMIT_MS);
  afterAll(async () => {
    plane?.child.kill("SIGTERM");
    await plane?.exit;
    rmSync(work, { recursive: true, force: true });
  });

  const author = (...args: readonly string[]) =>
    spawnSync(process.execPath, args, { cwd: inside("node_modules", PACKAGE), encoding: "utf8" });

  it(
    "00 what the command wrote passes its own test and the conformance suite, as it is",
    () => {
      const tested = author("--test", "--test-reporter=tap", "dist/provider.test.js");
      expect(tested).toMatchObject({ status: 0, stdout: expect.stringContaining("# fail 0") });
      expect(tested.stdout).toContain("evidence with one part altered is refused");
      const conforms = author(conformance, "dist/world.js");
      expect(conforms).toMatchObject({ status: 0, stdout: expect.stringContaining("acme conforms") });
      expect(conforms.stdout).not.toContain("failed");
      const help = author(`bin/${PACKAGE}.js`, "--help");
      expect(help).toMatchObject({ status: 0, stdout: expect.stringContaining("--settings FILE") });
      expect(help.stdout).toContain("cluster.x-k8s.io/kube-apiserver-client-kubelet-acme");
    },
    LIMIT_MS,
  );

  const joining = (directory: string, { settings }: { settings: string }) =>
    type(
      ...["node", "join", "--provider", "acme", "--provider-settings", settings, "--node-name", "worker-1"],
      ...["--token-file", inside("token"), "--directory", inside(directory), "--timeout", "20s", server],
    );

  it("01 the controller serves the provider's signers, and the operator says which machine may come", () => {
    expect(plane.text()).toContain("cluster.x-k8s.io/kube-apiserver-client-kubelet-acme");
    const enrolled = ["enroll", "worker-1", "--provider-id", "acme:///one", "--kubeconfig", inside("admin.kubeconfig")];
    expect(type("identity", ...enrolled)).toMatchObject({ status: 0 });
  });

  it(
    "02 another machine with the same token and another key is refused in the provider's words",
    () => {
      const refused = joining("stranger", foreign);
      expect(refused.status).not.toBe(0);
      expect(refused.stderr + refused.stdout).toContain("SignatureInvalid");
    },
    LIMIT_MS,
  );

  it(
    "03 the machine joins by its proof",
    () => {
      const joined = joining("node", own);
      expect(joined).toMatchObject({ status: 0, stdout: expect.stringContaining("attested (acme)") });
      const remembered = JSON.parse(readFileSync(inside("node", "attestation.json"), "utf8"));
      expect(remembered).toMatchObject({ provider: "acme", package: PACKAGE, flags: { settings: own.settings } });
    },
    LIMIT_MS,
  );

  it(
    "04 it renews without being told again how",
    () => {
      const before = readFileSync(inside("node", "pki", "kubelet-client-current.pem"), "utf8");
      const renewed = type("node", "renew", "--directory", inside("node"));
      expect(renewed).toMatchObject({ status: 0, stdout: expect.stringContaining("renewed") });
      expect(readFileSync(inside("node", "pki", "kubelet-client-current.pem"), "utf8")).not.toBe(before);
    },
    LIMIT_MS,
  );

  it(
    "05 the kubelet's plugin is the provider's own program, and makes a new certificate by the same proof",
    () => {
      const { users } = parseKubeconfig(readFileSync(inside("node", "kubelet-exec.kubeconfig"), "utf8"));
      const exec = users[0]?.user.exec;
      expect(exec).toMatchObject({ command: PACKAGE, args: expect.arrayContaining([`--settings=${own.settings}`]) });
      rmSync(inside("node", "pki"), { recursive: true });
      const bootstrap = write("bootstrap.kubeconfig", bootstrapKubeconfig());
      const info = {
        apiVersion: "client.authentication.k8s.io/v1",
        kind: "ExecCredential",
        spec: { interactive: false },
      };
      const run = spawnSync(
        process.execPath,
        [
          inside("node_modules", PACKAGE, "bin", `${PACKAGE}.js`),
          ...(exec?.args ?? []),
          `--bootstrap-kubeconfig=${bootstrap}`,
        ],
        {
          encoding: "utf8",
          timeout: patient(60_000),
          env: { ...process.env, KUBERNETES_EXEC_INFO: JSON.stringify(info) },
        },
      );
      expect(run).toMatchObject({ status: 0 });
      expect(JSON.parse(run.stdout).status.clientCertificateData).toContain("BEGIN CERTIFICATE");
    },
    LIMIT_MS,
  );

  /** As bootstrap data brings it: the administrator's cluster, the token's user. */
  function bootstrapKubeconfig(): string {
    const admin = parseKubeconfig(readFileSync(inside("admin.kubeconfig"), "utf8"));
    const users = [{ name: "bootstrap", user: { token } }];
    const contexts = [{ name: "b", context: { cluster: admin.clusters[0]?.name, user: "bootstrap" } }];
    const config = {
      apiVersion: "v1",
      kind: "Config",
      clusters: admin.clusters,
      users,
      contexts,
      "current-context": "b",
    };
    return JSON.stringify(config);
  }
});
