// The same duty in go-attestation: built in the run from bench/peers/go-attestation, then spoken to over its standard input, a line
// a round, so that rounds of both can alternate.
import { execFileSync, spawn, spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";

/** @param {Readonly<Record<string, import("./duty.mjs").Exchange>>} exchanges @param {number} count */
export function startGoPeer(exchanges, count) {
  if (spawnSync("go", ["version"]).status !== 0) {
    console.error("this benchmark compares with go-attestation and needs the go command, which is not on the PATH");
    process.exit(1);
  }
  const folder = mkdtempSync(join(tmpdir(), "countersign-bench-"));
  const binary = join(folder, "go-attestation");
  execFileSync("go", ["build", "-o", binary, "."], {
    cwd: join(import.meta.dirname, "../peers/go-attestation"),
    stdio: "inherit",
    env: { ...process.env, GOTOOLCHAIN: "local", CGO_ENABLED: "0" },
  });
  const evidence = join(folder, "exchanges.json");
  writeFileSync(
    evidence,
    JSON.stringify(exchanges, (_, value) => (value instanceof Uint8Array ? base64(value) : value)),
  );
  const peer = spawn(binary, [evidence, String(count)], {
    stdio: ["pipe", "pipe", "inherit"],
    env: { ...process.env, GOMAXPROCS: "1" },
  });
  const answers = createInterface({ input: peer.stdout })[Symbol.asyncIterator]();
  return {
    /** Verifies the named exchange `count` times and answers the nanoseconds. @param {string} name */
    async round(name) {
      peer.stdin.write(`${name}\n`);
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

/** @param {Uint8Array} bytes */
function base64(bytes) {
  return Buffer.from(bytes).toString("base64");
}
