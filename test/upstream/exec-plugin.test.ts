// Must hold of the credential plugin (*Cluster API Kubelet Authentication*): kubelets whose only identity is an exec
// user become Ready and stay alive past the end of their first certificate, on a real API server and on the embedded
// one. kube-controller-manager does not run; a clerk approves and signs, with lives of seconds. The provider is the
// null one of test/providers, which may renew.

import { execFile } from "node:child_process";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type CertificateSigningRequest, INSECURE_CLIENT_SIGNER } from "../../src/api/certificates/index.ts";
import { CSRS } from "../../src/api/meta/index.ts";
import { parsePem } from "../../src/kernel/pem/index.ts";
import { parseCertificate, parseCertificateRequest } from "../../src/kernel/x509/index.ts";
import { execKubeconfig } from "../../src/node/join/kubeconfigs.ts";
import { type KubeClient, loadKubeconfigClient } from "../../src/platform/kube/index.ts";
import { parsePair } from "../../src/platform/pair/index.ts";
import { bundlePlugin, shippedPlugin } from "../../tools/bundle.mjs";
import { type Decision, runClerk } from "../fakes/clerk.ts";
import { DIST } from "../journeys/program.ts";
import { NULL_CLIENT_SIGNER } from "../providers/null/index.ts";
import {
  type ControlPlane,
  createWorkspace,
  type RunningNode,
  startControlPlane,
  startEmbedded,
  startKubelet,
  startKubemark,
  type Workspace,
  waitFor,
} from "./harness/index.ts";

const EXEC_INFO =
  '{"kind":"ExecCredential","apiVersion":"client.authentication.k8s.io/v1","spec":{"interactive":false}}';
/** Long enough to become Ready with, short enough to see it end. */
const NULL_LIFE_MS = 25_000;
const INSECURE_LIFE_MS = 5_000;
const HERD = 200;
/** Two hundred processes take two cores half a minute; once is enough. */
const SMALL_HERD = 20;
/** None may outlive its test. */
const HERD_LIMIT_MS = 120_000;
const HERD_NODE = "herd-1";

const run = promisify(execFile);

describe.each([
  ["a real kube-apiserver", () => startControlPlane({ keyAlgorithm: "ECDSA-P256" }), HERD],
  ["the embedded one", startEmbedded, SMALL_HERD],
])("the credential plugin on %s", (_, start, herd) => {
  const stop = new AbortController();
  const nodes: RunningNode[] = [];
  let workspace: Workspace;
  let controlPlane: ControlPlane;
  let admin: KubeClient;
  let clerk: Promise<void>;
  let token: string;
  const plugins: Record<string, string> = {};

  beforeAll(async () => {
    workspace = await createWorkspace("exec-plugin");
    controlPlane = await start();
    admin = await loadKubeconfigClient(controlPlane.adminKubeconfigPath);
    token = await controlPlane.createBootstrapToken();
    clerk = runClerk({ ca: controlPlane, admin, signal: stop.signal, decide });
    plugins["null"] = await bundleNull(workspace);
    plugins["insecure"] = shippedPlugin("kubelet-authenticator-insecure", DIST).outfile;
  });
  afterAll(async () => {
    await Promise.all(nodes.map((node) => node.stop()));
    stop.abort();
    await clerk;
    await admin?.close();
    await controlPlane?.stop();
    await workspace?.remove();
  });

  it("makes a real kubelet and a hollow one Ready, with no identity but the plugin", async () => {
    const [real, hollow] = ["real-1", "hollow-1"];
    nodes.push(
      ...(await Promise.all([
        startKubelet({ controlPlane, name: real, kubeconfig: await write(real, "null"), rotateCertificates: false }),
        startKubemark({ controlPlane, name: hollow, kubeconfig: await write(hollow, "null") }),
      ])),
    );
    await Promise.all(nodes.map((node) => node.waitUntilReady()));
  });

  it("is used by a real kubectl in both versions of the protocol", async () => {
    for (const version of ["v1", "v1beta1"]) {
      const kubeconfig = await write(`kubectl-${version}`, "null", version);
      expect(await whoAmI(kubeconfig)).toBe(`system:node:kubectl-${version}`);
    }
  });

  it("starts over with a live token when an insecure certificate is over, and stops with a clear word when it is dead", async () => {
    const name = "insecure-1";
    const kubeconfig = await write(name, "insecure");
    expect(await whoAmI(kubeconfig)).toBe(`system:node:${name}`);
    await untilOver(name);
    expect(await whoAmI(kubeconfig)).toBe(`system:node:${name}`);
    expect(await requestersOf(name)).toEqual(Array(2).fill(`system:bootstrap:${token.split(".")[0]}`));

    await killToken(name);
    await untilOver(name);
    const { code, stderr } = await controlPlane.kubectl(["auth", "whoami"], { kubeconfig });
    expect(code).toBe(1);
    expect(stderr).toContain("its token has expired or was deleted");
    expect(await requestersOf(name)).toHaveLength(2);
  });

  it("lets both kubelets renew their Lease after their first certificate has ended, without the token", async () => {
    for (const { name } of nodes) {
      const [first] = await requestsOf(name);
      const endMs = endOf(first);
      await waitFor({
        what: `a Lease of ${name} that was renewed after its first certificate`,
        limitMs: 60_000,
        everyMs: 500,
        probe: async () => ((await leaseTime(name)) > endMs ? true : undefined),
      });
      const [asBootstrapper, ...asNode] = await requestersOf(name);
      expect(asBootstrapper).toBe(`system:bootstrap:${token.split(".")[0]}`);
      expect(new Set(asNode)).toEqual(new Set([`system:node:${name}`]));
    }
  });

  it(`files one request for ${herd} processes that start at once on one directory`, async () => {
    token = await controlPlane.createBootstrapToken();
    const args = await argsOf(HERD_NODE, "null");
    const env = { KUBERNETES_EXEC_INFO: EXEC_INFO };
    const answers = await Promise.all(
      Array.from({ length: herd }, () => run(process.execPath, [...args], { env, timeout: HERD_LIMIT_MS })),
    );
    const keys = new Set(answers.map(({ stdout }) => JSON.parse(stdout).status.clientKeyData));
    expect(keys.size).toBe(1);
    expect(await requestsOf(HERD_NODE)).toHaveLength(1);
  });

  async function argsOf(name: string, provider: "null" | "insecure"): Promise<readonly string[]> {
    const directory = join(workspace.dir, name);
    await mkdir(directory, { recursive: true, mode: 0o700 });
    const bootstrap = await controlPlane.writeTokenKubeconfig(`bootstrap-${name}`, token);
    return [
      plugins[provider] ?? "",
      `--node-name=${name}`,
      `--cert-dir=${join(directory, "pki")}`,
      `--bootstrap-kubeconfig=${bootstrap}`,
    ];
  }

  async function write(name: string, provider: "null" | "insecure", version = "v1"): Promise<string> {
    const call = { command: process.execPath, args: await argsOf(name, provider) };
    const text = execKubeconfig({ server: controlPlane.url, caPem: controlPlane.caPem }, call);
    const path = join(workspace.dir, name, "kubeconfig");
    await writeFile(
      path,
      text.replaceAll("client.authentication.k8s.io/v1", `client.authentication.k8s.io/${version}`),
    );
    return path;
  }

  async function whoAmI(kubeconfig: string): Promise<string> {
    const { stdout, stderr, code } = await controlPlane.kubectl(["auth", "whoami", "-o", "json"], { kubeconfig });
    expect(code, stderr).toBe(0);
    return JSON.parse(stdout).status.userInfo.username;
  }

  /** An API server remembers for ten seconds that a token was good. */
  async function killToken(name: string): Promise<void> {
    await controlPlane.kubectl(["delete", "secret", "-n", "kube-system", `bootstrap-token-${token.split(".")[0]}`]);
    const kubeconfig = await controlPlane.writeTokenKubeconfig(`bootstrap-${name}`, token);
    await waitFor({
      what: "the token to be dead",
      limitMs: 20_000,
      everyMs: 1_000,
      probe: async () =>
        (await controlPlane.kubectl(["auth", "whoami"], { kubeconfig })).code === 0 ? undefined : true,
    });
  }

  async function untilOver(name: string): Promise<void> {
    const path = join(workspace.dir, name, "pki", "kubelet-client-current.pem");
    const { notAfterMs } = parsePair(await readFile(path, "utf8"));
    await waitFor({
      what: `the end of ${name}'s certificate`,
      limitMs: 2 * INSECURE_LIFE_MS,
      probe: () => (Date.now() > notAfterMs ? true : undefined),
    });
  }

  /** Oldest first: a request whose subject is the node. */
  async function requestsOf(name: string): Promise<readonly CertificateSigningRequest[]> {
    const { items } = await admin.list<CertificateSigningRequest>(CSRS);
    const mine = items.filter((csr) => nodeOf(csr) === name);
    return mine.sort((a, b) => Number(a.metadata.resourceVersion) - Number(b.metadata.resourceVersion));
  }

  async function requestersOf(name: string): Promise<readonly string[]> {
    return (await requestsOf(name)).map(({ spec }) => spec.username ?? "");
  }

  async function leaseTime(name: string): Promise<number> {
    const question = ["get", "lease", name, "-n", "kube-node-lease", "-o", "jsonpath={.spec.renewTime}"];
    return Date.parse((await controlPlane.kubectl(question)).stdout);
  }
});

function decide(csr: CertificateSigningRequest): Decision {
  if (nodeOf(csr) === HERD_NODE) return { kind: "sign" };
  const { signerName } = csr.spec;
  if (signerName === NULL_CLIENT_SIGNER) return { kind: "sign", lifetimeMs: NULL_LIFE_MS };
  return signerName === INSECURE_CLIENT_SIGNER ? { kind: "sign", lifetimeMs: INSECURE_LIFE_MS } : { kind: "leave" };
}

function nodeOf({ spec }: CertificateSigningRequest): string | undefined {
  const { subject } = parseCertificateRequest(firstBlock(spec.request));
  return subject.commonName?.replace(/^system:node:/, "");
}

function endOf(csr: CertificateSigningRequest | undefined): number {
  return parseCertificate(firstBlock(csr?.status?.certificate ?? "")).notAfterMs;
}

function firstBlock(base64: string): Uint8Array {
  return parsePem(Buffer.from(base64, "base64").toString("utf8"))[0]?.bytes ?? new Uint8Array();
}

/** Beside the workspace's other files; its slow way is in the build. */
async function bundleNull({ dir }: Workspace): Promise<string> {
  const source = fileURLToPath(new URL("../providers/null/kubelet-authenticator-null.ts", import.meta.url));
  const outfile = join(dir, "kubelet-authenticator-null.cjs");
  await bundlePlugin({ source, outfile, compiledDir: DIST, format: "cjs" });
  return outfile;
}
