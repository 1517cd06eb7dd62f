// Kubernetes' own end-to-end tests, chosen by name, against one cluster. A Node that nobody runs is Ready in it
// meanwhile: tests about nodes look for one, and none of the chosen ones starts a container.

import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { locateBinary } from "../assets/binaries.mjs";
import { ensureE2e } from "../assets/e2e/build.mjs";
import { runCommand } from "./command.ts";
import type { ControlPlane } from "./control-plane.ts";

/** Well within the 40 s after which a silent node is no longer Ready. */
const BEAT_MS = 10_000;
const NODE = "e2e-node";

export interface E2eResult {
  readonly name: string;
  readonly state: string;
  readonly seconds: number;
  /** Why it failed, in its own words. */
  readonly message: string;
}

export interface E2eRun {
  readonly names: readonly string[];
  readonly limitMs: number;
}

/** The names of all tests, each with the file it is written in: `auth/certificates.go [sig-auth] …`. */
export async function listE2e(): Promise<readonly { readonly file: string; readonly name: string }[]> {
  const { stdout } = await runCommand(await ensureE2e(), ["--list-tests"]);
  const lines = stdout.matchAll(/test\/e2e\/(\S+\.go):\d+: (.+)$/gm);
  return [...lines].map(([, file = "", name = ""]) => ({ file, name }));
}

/** What became of each, in the order in which they ran. */
export async function runE2e(plane: ControlPlane, { names, limitMs }: E2eRun): Promise<readonly E2eResult[]> {
  const report = join(plane.dir, "e2e.json");
  const beat = await startNode(plane);
  const focus = names.map((name) => name.replace(/[.*+?^${}()|[\]\\/]/g, "\\$&")).join("|");
  const args = [
    ...["--kubeconfig", plane.adminKubeconfigPath, "--kubectl-path", locateBinary("kubectl").path],
    // No cloud, no daemons, and nodes that run no pods.
    ...["--provider=skeleton", "--num-nodes=1", "--allowed-not-ready-nodes=-1", "--minStartupPods=0"],
    ...["--disable-log-dump", "--dump-logs-on-failure=false"],
    ...["--ginkgo.no-color", `--ginkgo.json-report=${report}`, `--ginkgo.focus=(?:${focus})$`],
  ];
  try {
    const env = { HOME: plane.dir, TMPDIR: plane.dir };
    const onStdout = progressOf(names.length);
    const { stdout } = await runCommand(await ensureE2e(), args, { env, limitMs, onStdout });
    return parseReport(await readFile(report, "utf8").catch(() => Promise.reject(new Error(stdout.slice(-4_000)))));
  } finally {
    beat.stop();
  }
}

const TOLD_EVERY = 20;

/** The program prints a dot for each test that has run. */
function progressOf(all: number): (text: string) => void {
  let done = 0;
  return (text) => {
    const before = done;
    done += text.split("•").length - 1;
    if (Math.floor(done / TOLD_EVERY) > Math.floor(before / TOLD_EVERY))
      console.log(`${done} of ${all} tests have run`);
  };
}

interface Report {
  readonly SpecReports?: readonly {
    readonly LeafNodeType: string;
    readonly LeafNodeText: string;
    readonly ContainerHierarchyTexts?: readonly string[] | null;
    readonly State: string;
    readonly RunTime: number;
    readonly Failure?: { readonly Message?: string };
  }[];
}

function parseReport(text: string): readonly E2eResult[] {
  const [report] = JSON.parse(text) as readonly Report[];
  const ran = (report?.SpecReports ?? []).filter((one) => one.LeafNodeType === "It" && one.State !== "skipped");
  return ran.map((one) => ({
    name: [...(one.ContainerHierarchyTexts ?? []), one.LeafNodeText].join(" "),
    state: one.State,
    seconds: Math.round(one.RunTime / 1e8) / 10,
    message: one.Failure?.Message ?? "",
  }));
}

async function startNode(plane: ControlPlane): Promise<{ stop(): void }> {
  const labels = { "kubernetes.io/hostname": NODE, "kubernetes.io/os": "linux", "kubernetes.io/arch": "amd64" };
  await apply(plane, { apiVersion: "v1", kind: "Node", metadata: { name: NODE, labels } });
  await beatOnce(plane);
  const timer = setInterval(() => void beatOnce(plane), BEAT_MS);
  return { stop: () => clearInterval(timer) };
}

/** What a kubelet says every few seconds. One that is lost is made up for by the next. */
async function beatOnce(plane: ControlPlane): Promise<void> {
  const now = new Date().toISOString();
  const amounts = { cpu: "4", memory: "8Gi", pods: "110" };
  const ready = { type: "Ready", status: "True", reason: "KubeletReady", message: "", lastHeartbeatTime: now };
  const addresses = [{ type: "InternalIP", address: "192.0.2.9" }];
  const status = { capacity: amounts, allocatable: amounts, addresses, conditions: [ready] };
  const patch = ["--subresource=status", "--type=merge", "-p", JSON.stringify({ status })];
  await plane.kubectl(["patch", "node", NODE, ...patch]);
  await apply(plane, {
    apiVersion: "coordination.k8s.io/v1",
    kind: "Lease",
    metadata: { name: NODE, namespace: "kube-node-lease" },
    spec: { holderIdentity: NODE, leaseDurationSeconds: 40, renewTime: now.replace("Z", "000Z") },
  });
}

async function apply(plane: ControlPlane, object: unknown): Promise<void> {
  await plane.kubectl(["apply", "-f", "-"], { input: JSON.stringify(object) });
}
