// The same duty in Go: built in the run from a folder of bench/peers, then spoken to over its standard input, a line a
// round, so that rounds of both can alternate.
import { execFileSync, spawn, spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";

/**
 * @typedef {ReturnType<typeof startGoPeer>} GoPeer
 * @param {string} name the folder in bench/peers
 * @param {(folder: string) => readonly string[]} prepare writes what the peer reads into the folder, answers its
 *   arguments
 */
export function startGoPeer(name, prepare) {
  const folder = mkdtempSync(join(tmpdir(), "countersign-bench-"));
  const binary = join(folder, name);
  buildGoPeer(name, binary);
  const peer = spawn(binary, prepare(folder), {
    stdio: ["pipe", "pipe", "inherit"],
    env: { ...process.env, GOMAXPROCS: "1" },
  });
  const answers = createInterface({ input: peer.stdout })[Symbol.asyncIterator]();
  return {
    /** One round of what the line names; answers its nanoseconds. @param {string} line */
    async round(line) {
      peer.stdin.write(`${line}\n`);
      const { value, done } = await answers.next();
      if (done) throw new Error("the Go peer ended early");
      return Number(value);
    },
    stop() {
      peer.stdin.end();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** @param {string} name @param {string} binary */
export function buildGoPeer(name, binary) {
  if (spawnSync("go", ["version"]).status !== 0) {
    console.error(`this benchmark compares with ${name} and needs the go command, which is not on the PATH`);
    process.exit(1);
  }
  execFileSync("go", ["build", "-o", binary, "."], {
    cwd: join(import.meta.dirname, "../peers", name),
    stdio: "inherit",
    env: { ...process.env, GOTOOLCHAIN: "local", CGO_ENABLED: "0" },
  });
}

/** As Go's JSON writes octets. @param {Uint8Array} bytes */
export function base64(bytes) {
  return Buffer.from(bytes).toString("base64");
}
