// A run of the credential plugin with a valid certificate on disk: what every kubelet and kubectl pays at each refresh.
// On the Node that runs this (the floor, where the machine has it) and on the newest LTS, as a bundle and as a single
// file; against bare `node -e 0`, which is what Node itself costs, and against a plugin of the same duty in Go. Ratios
// are runs a second divided by theirs: bare node's time ÷ ours on the same Node, Go's time ÷ ours, the floor's time ÷
// the newest's.
import { rmSync } from "node:fs";
import { join } from "node:path";
import { ensureNewestNode, NEWEST_LTS } from "../tools/newest-node.mjs";
import { makeSingleFile } from "../tools/single-file.mjs";
import { buildGoPlugin } from "./exec/go.mjs";
import { aNodeDirectory, EXEC_INFO, timeRun } from "./exec/node-directory.mjs";
import { compare } from "./frame/measure.mjs";

export const title = "a plugin run with a valid certificate: bare node ÷ ours, Go ÷ ours, this Node ÷ the newest LTS";

/** Runs are short and noisy: many, in turn, and the median. Fewer for a quick look: COUNTERSIGN_BENCH_ROUNDS. */
const ROUNDS = Number(process.env["COUNTERSIGN_BENCH_ROUNDS"] ?? "61");
const PLUGIN = join(import.meta.dirname, "../dist/bin/kubelet-authenticator-insecure.cjs");

export async function run() {
  const { directory, nodeName } = aNodeDirectory();
  try {
    const single = await makeSingleFile("kubelet-authenticator-insecure", { outDir: join(directory, "single") });
    const go = buildGoPlugin(directory);
    const [node, newest] = [process.execPath, ensureNewestNode()];
    const words = [`--node-name=${nodeName}`, `--cert-dir=${join(directory, "pki")}`];
    const env = { ...process.env, KUBERNETES_EXEC_INFO: EXEC_INFO };
    /** @param {string} command @param {readonly string[]} args */
    const answering = (command, args) => async () => timeRun({ command, args, env, answers: true });
    /** @param {string} command */
    const bare = (command) => async () => timeRun({ command, args: ["-e", "0"], env, answers: false });
    const rates = await compare(
      {
        bare: bare(node),
        ours: answering(node, [PLUGIN, ...words]),
        bareNewest: bare(newest),
        oursNewest: answering(newest, [PLUGIN, ...words]),
        single: answering(single, words),
        go: answering(go, words),
      },
      { rounds: ROUNDS, count: 1 },
    );
    const ms = (/** @type {number} */ rate) => `${(1_000 / rate).toFixed(1)} ms`;
    console.log(`  Node ${process.versions.node}: bare ${ms(rates.bare)}, the plugin ${ms(rates.ours)}`);
    console.log(`  Node ${NEWEST_LTS}: bare ${ms(rates.bareNewest)}, the plugin ${ms(rates.oursNewest)}`);
    console.log(`  single file on Node ${NEWEST_LTS}, with code cache: ${ms(rates.single)}   Go: ${ms(rates.go)}`);
    console.log(`  (median of ${ROUNDS} runs each, in turn)`);
    return [
      { name: "exec-node", value: rates.ours / rates.bare, goal: 0.77 },
      { name: "exec-node-newest", value: rates.oursNewest / rates.bareNewest, goal: 0.77 },
      { name: "exec-single-file", value: rates.single / rates.bareNewest, goal: 0.77 },
      { name: "exec-newest-gain", value: rates.oursNewest / rates.ours },
      { name: "exec-single-file-gain", value: rates.single / rates.ours },
      { name: "exec-go", value: rates.ours / rates.go },
    ];
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}
