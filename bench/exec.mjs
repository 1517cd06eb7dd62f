// A run of the credential plugin with a valid certificate on disk: what every kubelet and kubectl pays at each refresh.
// Against bare `node -e 0`, which is what Node itself costs, and against a plugin of the same duty in Go. Ratios are runs a
// second divided by theirs: bare node's time ÷ ours, Go's time ÷ ours.
import { rmSync } from "node:fs";
import { join } from "node:path";
import { makeSingleFile } from "../tools/single-file.mjs";
import { buildGoPlugin } from "./exec/go.mjs";
import { aNodeDirectory, EXEC_INFO, timeRun } from "./exec/node-directory.mjs";
import { compare } from "./frame/measure.mjs";

export const title = "a plugin run with a valid certificate: bare node ÷ ours, bare node ÷ the single file, Go ÷ ours";

/** Runs are short and noisy: many, in turn, and the median. */
const ROUNDS = 61;
const PLUGIN = join(import.meta.dirname, "../dist/bin/kubelet-authenticator-insecure.cjs");

export async function run() {
  const { directory, nodeName } = aNodeDirectory();
  try {
    const single = await makeSingleFile("kubelet-authenticator-insecure", { outDir: join(directory, "single") });
    const go = buildGoPlugin(directory);
    const words = [`--node-name=${nodeName}`, `--cert-dir=${join(directory, "pki")}`];
    const env = { ...process.env, KUBERNETES_EXEC_INFO: EXEC_INFO };
    const rates = await compare(
      {
        bare: async () => timeRun({ command: process.execPath, args: ["-e", "0"], env, answers: false }),
        ours: async () => timeRun({ command: process.execPath, args: [PLUGIN, ...words], env, answers: true }),
        single: async () => timeRun({ command: single, args: words, env, answers: true }),
        go: async () => timeRun({ command: go, args: words, env, answers: true }),
      },
      { rounds: ROUNDS, count: 1 },
    );
    const times = Object.entries(rates).map(([name, rate]) => `${name} ${(1_000 / rate).toFixed(1)} ms`);
    console.log(`  ${times.join("   ")}   (median of ${ROUNDS} runs each, in turn)`);
    return [
      { name: "exec-node", value: rates.ours / rates.bare, goal: 0.77 },
      { name: "exec-single-file", value: rates.single / rates.bare, goal: 0.77 },
      { name: "exec-go", value: rates.ours / rates.go },
    ];
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}
