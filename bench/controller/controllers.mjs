// The two controllers as processes, one at a time: ours as operators run it, and kube-controller-manager with its
// approving and signing loops and no limit on its requests.
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { locateBinary } from "../../test/upstream/assets/binaries.mjs";
import { DIST } from "./product.mjs";

/** @typedef {Awaited<ReturnType<typeof import("./plane.mjs").startPlane>>} Plane */

const NODE_FLAGS = (process.env["COUNTERSIGN_BENCH_NODE_FLAGS"] ?? "").split(" ").filter((flag) => flag !== "");
const READY_LIMIT_MS = 60_000;

/** @param {Plane} plane @param {string} name */
export async function startOurs(plane, name) {
  const port = await plane.freePort();
  const child = plane.launch(name, process.execPath, [
    ...NODE_FLAGS,
    join(DIST, "bin", "node-attestation-controller.js"),
    `--kubeconfig=${plane.kubeconfig}`,
    ...[`--ca-cert=${plane.pki.file("ca.crt")}`, `--ca-key=${plane.pki.file("ca.key")}`],
    ...["--leader-elect=false", `--audit-log=${join(plane.folder, "audit.log")}`],
    `--status-address=127.0.0.1:${port}`,
  ]);
  await untilAnswers(`http://127.0.0.1:${port}/readyz`, child, join(plane.folder, `${name}.log`));
  return { child, port, stop: () => end(child) };
}

/** @param {Plane} plane @param {string} name */
export async function startManager(plane, name) {
  const port = await plane.freePort();
  const child = plane.launch(name, locateBinary("kube-controller-manager").path, [
    `--kubeconfig=${plane.kubeconfig}`,
    "--controllers=certificatesigningrequest-approving-controller,certificatesigningrequest-signing-controller",
    ...["--leader-elect=false", "--kube-api-qps=10000", "--kube-api-burst=10000"],
    ...[
      `--cluster-signing-cert-file=${plane.pki.file("ca.crt")}`,
      `--cluster-signing-key-file=${plane.pki.file("ca.key")}`,
    ],
    ...["--bind-address=127.0.0.1", `--secure-port=${port}`, `--cert-dir=${join(plane.folder, "manager")}`],
  ]);
  // Its certificate is of its own making, so the port is all that is asked; the first round warms it up.
  await sleep(3_000);
  if (child.exitCode !== null) throw new Error(`kube-controller-manager ended with ${child.exitCode}`);
  return { child, port, stop: () => end(child) };
}

/** @param {string} url @param {import("node:child_process").ChildProcess} child @param {string} log */
async function untilAnswers(url, child, log) {
  const limit = performance.now() + READY_LIMIT_MS;
  while (performance.now() < limit) {
    if (child.exitCode !== null) throw new Error(`ours ended with ${child.exitCode}: ${lastLine(log)}`);
    const answer = await fetch(url).catch(() => undefined);
    if (answer?.ok) return;
    await sleep(50);
  }
  throw new Error(`${url} did not answer within ${READY_LIMIT_MS} ms: ${lastLine(log)}`);
}

/** @param {string} path */
function lastLine(path) {
  return readFileSync(path, "utf8").trimEnd().split("\n").at(-1) ?? "";
}

/** @param {import("node:child_process").ChildProcess} child */
async function end(child) {
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.kill("SIGTERM");
  await once(child, "exit");
}
