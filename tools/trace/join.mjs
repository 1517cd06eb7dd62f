// Which files of src/ a join goes through: counted in a run, on the embedded plane, of the programs as users start
// them. Two processes are watched, `countersign up` and `countersign node join`. A file counts when one of its
// functions was called between the start of the join and its end, on either side, in each of several runs: what the
// plane does now and then is not the join's. What runs when modules are loaded does not count, nor do files of types
// and constants alone, nor what the plane did before. The programs run from the sources, on a Node that reads
// TypeScript, and are asked by flags only, so that trees of different times can be compared.

import { fork, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath, pathToFileURL } from "node:url";
import { ensureNewestNode } from "../newest-node.mjs";

const COVERAGE = pathToFileURL(fileURLToPath(new URL("coverage.mjs", import.meta.url))).href;
const RUNS = 3;
const TOKEN = "abcdef.0123456789abcdef";
const LIMIT_MS = 120_000;
/** After the join: what the plane still does because of it. */
const AFTER_MS = 300;

/** @typedef {{ root: string, node: string, work: string }} Place */

/** Without `tpm` where swtpm is not installed. @param {string} root */
export async function traceJoins(root) {
  const plain = await inEveryRun(root, (place) => traceOne(place, { nodeName: "plain-1", words: [] }));
  const hasSwtpm = spawnSync("swtpm", ["--version"]).status === 0;
  return { plain, tpm: hasSwtpm ? await inEveryRun(root, traceWithTpm) : undefined };
}

/** @param {string} root @param {(place: Place) => Promise<string[]>} trace */
async function inEveryRun(root, trace) {
  const node = ensureNewestNode();
  /** @type {string[][]} */
  const runs = [];
  for (let run = 0; run < RUNS; run++) {
    const work = mkdtempSync(join(tmpdir(), "countersign-trace-"));
    try {
      runs.push(await trace({ root, node, work }));
    } finally {
      rmSync(work, { recursive: true, force: true });
    }
  }
  const [first = [], ...others] = runs;
  return first.filter((file) => others.every((other) => other.includes(file)));
}

/** @param {Place} place */
async function traceWithTpm(place) {
  const socket = join(place.work, "tpm.sock");
  const sockets = ["--server", `type=unixio,path=${socket}`, "--ctrl", `type=unixio,path=${socket}.ctrl`];
  const state = ["--tpmstate", `dir=${place.work}`, "--flags", "not-need-init,startup-clear"];
  const swtpm = spawn("swtpm", ["socket", "--tpm2", ...state, ...sockets], { stdio: "ignore" });
  try {
    await until(() => existsSync(socket) && existsSync(`${socket}.ctrl`));
    const address = ["--tpm", `swtpm:path=${socket}`];
    const { spkiSha256 } = JSON.parse(run(place, ["node", "tpm", ...address, "-o", "json"]));
    const enroll = ["identity", "enroll", "tpm-1", "--ek-hash", spkiSha256];
    return await traceOne(place, { nodeName: "tpm-1", words: ["--provider", "tpm", ...address], enroll });
  } finally {
    swtpm.kill();
  }
}

/**
 * @param {Place} place
 * @param {{ nodeName: string, words: readonly string[], enroll?: readonly string[] }} how
 */
async function traceOne(place, { nodeName, words, enroll }) {
  const data = join(place.work, nodeName);
  const tokenFile = join(place.work, "token");
  writeFileSync(tokenFile, TOKEN, { mode: 0o600 });
  const plane = start(place, ["up", "--data-dir", `${data}-plane`, "--port", "0", "--token-file", tokenFile]);
  try {
    const kubeconfig = join(`${data}-plane`, "admin.kubeconfig");
    await until(() => /https:\/\/[\d.]+:\d+/.test(plane.output()));
    const address = /https:\/\/([\d.]+:\d+)/.exec(plane.output())?.[1] ?? "";
    if (enroll !== undefined) run(place, [...enroll, "--kubeconfig", kubeconfig]);
    await sleep(AFTER_MS);
    await plane.files();
    const where = ["--node-name", nodeName, "--directory", data, "--token-file", tokenFile, address];
    const node = start(place, ["node", "join", ...words, ...where]);
    const ofNode = await node.end();
    await sleep(AFTER_MS);
    return [...new Set([...ofNode, ...(await plane.files())])].sort();
  } finally {
    plane.stop();
  }
}

/** @param {Place} place @param {readonly string[]} words */
function start({ root, node, work }, words) {
  const child = fork(join(root, "src/bin/countersign.ts"), words, {
    execPath: node,
    execArgv: ["--conditions=countersign-source", "--import", COVERAGE],
    env: { ...process.env, COUNTERSIGN_TRACED_ROOT: root },
    cwd: work,
    silent: true,
  });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) stream?.on("data", (chunk) => (output += chunk));
  /** @returns {Promise<string[]>} */
  const next = async () => (await once(child, "message", { signal: AbortSignal.timeout(LIMIT_MS) }))[0];
  return {
    output: () => output,
    files: async () => {
      const answer = next();
      child.send("files");
      return await answer;
    },
    end: async () => {
      const [files, [code]] = await Promise.all([next(), once(child, "exit")]);
      if (code !== 0) throw new Error(`${words.join(" ")} ended with ${code}: ${output}`);
      return files;
    },
    stop: () => child.kill(),
  };
}

/** @param {Place} place @param {readonly string[]} words */
function run({ root, node, work }, words) {
  const args = ["--conditions=countersign-source", join(root, "src/bin/countersign.ts"), ...words];
  const { status, stdout, stderr } = spawnSync(node, args, { cwd: work, encoding: "utf8" });
  if (status !== 0) throw new Error(`${words.join(" ")} ended with ${status}: ${stderr}`);
  return stdout;
}

/** @param {() => boolean} isSo */
async function until(isSo) {
  for (const end = performance.now() + LIMIT_MS; !isSo(); await sleep(20)) {
    if (performance.now() > end) throw new Error(`waited longer than ${LIMIT_MS} ms`);
  }
}
