// A software TPM in a process of its own, and a provider over it that knows how long the TPM itself took: what a join
// costs beside that is the product's.
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { loadParts } from "../frame/product.mjs";

const START_LIMIT_MS = 10_000;
const COMMAND_LIMIT_MS = 60_000;

export function isSwtpmInstalled() {
  return spawnSync("swtpm", ["--version"]).status === 0;
}

export async function startSwtpm() {
  const folder = mkdtempSync(join(tmpdir(), "countersign-bench-"));
  const path = join(folder, "tpm.sock");
  const sockets = ["--server", `type=unixio,path=${path}`, "--ctrl", `type=unixio,path=${path}.ctrl`];
  const args = ["socket", "--tpm2", "--tpmstate", `dir=${folder}`, ...sockets];
  const child = spawn("swtpm", [...args, "--flags", "not-need-init,startup-clear"], { stdio: "ignore" });
  process.once("exit", () => child.kill("SIGKILL"));
  const end = performance.now() + START_LIMIT_MS;
  while (!existsSync(path)) {
    if (child.exitCode !== null || performance.now() > end) throw new Error("swtpm did not start");
    await sleep(10);
  }
  return {
    path,
    async stop() {
      child.kill("SIGTERM");
      await once(child, "exit");
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** @param {string} path of the TPM's socket */
export async function createTimedProvider(path) {
  const { tpm, providers } = await loadParts({ tpm: "platform/tpm", providers: "attestation" });
  let spentNs = 0;
  /** @param {{ readonly clock: unknown, readonly signal: AbortSignal }} options */
  async function open({ clock, signal }) {
    const transport = await tpm.openSocketTransport({ path }, { timeoutMs: COMMAND_LIMIT_MS, signal });
    const timed = {
      ...{ address: transport.address, close: () => transport.close() },
      /** @param {Uint8Array} command @param {object} options */
      async exchange(command, options) {
        const start = process.hrtime.bigint();
        try {
          return await transport.exchange(command, options);
        } finally {
          spentNs += Number(process.hrtime.bigint() - start);
        }
      },
    };
    const opened = tpm.createTpm(timed, { clock, signal });
    await tpm.flushLeftovers(opened);
    return opened;
  }
  return {
    open,
    provider: {
      ...providers.createTpmProvider(),
      /** @param {{ readonly clock: unknown, readonly signal: AbortSignal }} options */
      open: async (options) => providers.createTpmProver(await open(options)),
    },
    /** Nanoseconds since the last call. */
    takeSpentNs() {
      const spent = spentNs;
      spentNs = 0;
      return spent;
    },
  };
}
