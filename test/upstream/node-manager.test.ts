// Our node on a real kube-apiserver with a real kube-controller-manager that signs for thirty seconds at a time: it
// joins with a bootstrap token, rotates, and is disturbed in every way. A witness reads the current pair all the time,
// as a kubelet does, and uses it.

import { spawn } from "node:child_process";
import { existsSync, lstatSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { isFault } from "../../src/kernel/outcome/index.ts";
import { createKubeClient } from "../../src/platform/kube/index.ts";
import type { CertificatePair } from "../../src/platform/pair/index.ts";
import { runCommand } from "./harness/command.ts";
import {
  type ControlPlane,
  createWorkspace,
  KUBELET_CSR_CONTROLLERS,
  locateProgram,
  type OurNode,
  startControlPlane,
  startOurNode,
  type Workspace,
  waitFor,
} from "./harness/index.ts";

/** The latest rotation then begins with three seconds left, in which a process must start again on a busy machine. */
const LIFE = "30s";
const ROTATION_LIMIT_MS = 40_000;

let workspace: Workspace;
let plane: ControlPlane;
let node: OurNode;
let witness: Witness;
const at = (name: string) => join(workspace.dir, name);

beforeAll(async () => {
  workspace = await createWorkspace("node");
  plane = await startControlPlane({
    keyAlgorithm: "ECDSA-P256",
    controllers: KUBELET_CSR_CONTROLLERS,
    controllerManagerFlags: [`--cluster-signing-duration=${LIFE}`],
  });
  const bootstrapKubeconfig = await plane.writeTokenKubeconfig("bootstrap", await plane.createBootstrapToken());
  node = await startOurNode({
    name: "node-a",
    dir: workspace.dir,
    certDir: at("pki"),
    kubeconfig: at("kubelet.conf"),
    bootstrapKubeconfig,
    flags: ["--serving", "--serving-address", "127.0.0.1", "--serving-address", "node-a"],
  });
  await waitFor({
    what: "the first certificate",
    limitMs: ROTATION_LIMIT_MS,
    servers: [node.server],
    probe: () => (existsSync(at("kubelet.conf")) ? node.pair() : undefined),
  });
  witness = startWitness();
});
afterAll(async () => {
  await witness?.stop();
  await node?.server.stop();
  await plane?.stop();
  await workspace?.remove();
});

interface Witness {
  readonly pairs: Map<string, CertificatePair>;
  /** Moments without a valid pair, and answers 401. */
  readonly gaps: string[];
  stop(): Promise<void>;
}

/**
 * Reads the pair every 50 ms and asks the server with it every 500 ms; a server that is away is no gap in credentials.
 */
function startWitness(): Witness {
  const pairs = new Map<string, CertificatePair>();
  const gaps: string[] = [];
  let isOn = true;
  const look = () => {
    const pair = node.pair();
    pairs.set(pair.certificatePem, pair);
    if (Date.now() >= pair.notAfterMs) gaps.push(`expired since ${Date.now() - pair.notAfterMs} ms`);
    return pair;
  };
  const reading = (async () => {
    for (; isOn; await sleep(50)) look();
  })().catch((error: unknown) => void gaps.push(String(error)));
  const asking = (async () => {
    for (; isOn; await sleep(500)) await useOnce(look(), gaps);
  })().catch((error: unknown) => void gaps.push(String(error)));
  return {
    pairs,
    gaps,
    stop: async () => {
      isOn = false;
      await Promise.all([reading, asking]);
    },
  };
}

async function useOnce({ certificatePem: certPem, keyPem }: CertificatePair, gaps: string[]): Promise<void> {
  const client = createKubeClient({ server: plane.url, caPem: plane.caPem, credentials: () => ({ certPem, keyPem }) });
  try {
    const { status } = await client.raw("GET", "/version", { timeoutMs: 1_000 });
    if (status === 401) gaps.push("401 with the pair in use");
  } catch (error) {
    if (!isFault(error)) throw error;
  } finally {
    await client.close();
  }
}

const rotations = () => witness.pairs.size;

async function waitForRotationToBegin(): Promise<void> {
  await waitFor({
    what: "a rotation to begin",
    limitMs: ROTATION_LIMIT_MS,
    everyMs: 1,
    probe: () => (existsSync(at("pki/kubelet-client.key.tmp")) ? true : undefined),
  });
}

async function waitForRotation(before = rotations()): Promise<void> {
  await waitFor({
    what: "the next rotation",
    limitMs: ROTATION_LIMIT_MS,
    servers: [node.server],
    probe: () => (rotations() > before ? true : undefined),
  });
}

const renewal = () => [locateProgram("countersign"), "node", "renew", ...node.flags];

describe("our node daemon on a real control plane", () => {
  it("joins with a bootstrap token, in kubelet's layout, with a kubeconfig that works", async () => {
    expect(node.pair().commonName).toBe("system:node:node-a");
    expect(lstatSync(at("pki/kubelet-client-current.pem")).isSymbolicLink()).toBe(true);
    const { stdout } = await plane.kubectl(["auth", "whoami"], { kubeconfig: at("kubelet.conf") });
    expect(stdout).toContain("system:node:node-a");
  });

  it("serves health and kubelet's metrics", async () => {
    const { code, body } = await node.status("/metrics");
    expect(code).toBe(200);
    expect(body).toMatch(/^kubelet_certificate_manager_client_expiration_seconds \d+/m);
    expect(body).toMatch(/^kubelet_certificate_manager_client_expiration_renew_errors \d+$/m);
  });

  it("asks for a serving certificate as the node and keeps it once a person approved", async () => {
    const columns = ["-o", "custom-columns=NAME:.metadata.name,SIGNER:.spec.signerName", "--no-headers"];
    const name = await waitFor({
      what: "a serving request",
      limitMs: ROTATION_LIMIT_MS,
      probe: async () => {
        const { stdout } = await plane.kubectl(["get", "csr", ...columns]);
        return stdout
          .split("\n")
          .find((line) => line.includes("kubelet-serving"))
          ?.split(/\s+/)[0];
      },
    });
    expect((await plane.kubectl(["certificate", "approve", name])).code).toBe(0);
    await waitFor({
      what: "the daemon to be healthy with the serving pair",
      limitMs: ROTATION_LIMIT_MS,
      probe: async () => ((await node.status("/healthz")).code === 200 ? true : undefined),
    });
    expect(existsSync(at("pki/kubelet-server-current.pem"))).toBe(true);
  });

  it("rotates, and goes on after the API server was frozen in the middle of a rotation", async () => {
    await waitForRotationToBegin();
    const seen = rotations();
    process.kill(plane.serverPid(), "SIGSTOP");
    await sleep(1_000);
    process.kill(plane.serverPid(), "SIGCONT");
    await waitForRotation(seen);
  });

  it("survives a restart of the API server", async () => {
    const seen = rotations();
    await plane.restartApiServer();
    const { code, stderr } = await runCommand(process.execPath, renewal());
    expect(code, stderr).toBe(0);
    await waitForRotation(seen);
  });

  it("survives kill -9 in the middle of a rotation and takes it up again", async () => {
    const requests = async () => (await plane.kubectl(["get", "csr", "-o", "name"])).stdout.split("\n").length;
    await waitForRotationToBegin();
    const seen = rotations();
    await node.server.restart(); // which is a SIGKILL and the same command again
    const before = await requests();
    await waitForRotation(seen);
    expect(await requests()).toBeLessThanOrEqual(before + 1);
  });

  it("survives twelve renewals by hand beside it, each killed at another moment", async () => {
    for (let round = 0; round < 12; round++) {
      const child = spawn(process.execPath, renewal());
      const ended = new Promise((resolve) => child.once("close", resolve));
      await sleep(250 + round * 90);
      child.kill("SIGKILL");
      await ended;
    }
    const seen = rotations();
    const { code, stderr } = await runCommand(process.execPath, renewal());
    expect(code, stderr).toBe(0);
    await waitForRotation(seen);
    expect(readdirSync(at("pki")).filter((name) => /^\.|damaged|updated|client\.key\.tmp/.test(name))).toEqual([]);
  });

  it("has had a valid pair at every moment", async () => {
    await witness.stop();
    console.log(`${rotations()} client certificates in use one after the other`);
    expect(witness.gaps).toEqual([]);
    expect(rotations()).toBeGreaterThanOrEqual(5);
    // Nobody has approved a serving certificate since the first one, which lasted as long as the others.
    const { code, body } = await node.status("/healthz");
    expect({ code, body }).toEqual({ code: 503, body: expect.stringMatching(/^\[-\]serving certificate /m) });
    expect(body).toMatch(/^\[\+\]client certificate /m);
  });
});
