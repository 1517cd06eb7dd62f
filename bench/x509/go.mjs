// The same duty in Go's crypto/x509: built in the run from bench/peers/go-x509, then spoken to over its standard input, a
// line a round, so that rounds of both can alternate.
import { execFileSync, spawn, spawnSync } from "node:child_process";
import { createPrivateKey } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";

/**
 * @param {Readonly<Record<string, import("./duty.mjs").Authority>>} authorities
 * @param {readonly Uint8Array[]} requests
 */
export function startGoPeer(authorities, requests) {
  if (spawnSync("go", ["version"]).status !== 0) {
    console.error("this benchmark compares with Go and needs the go command, which is not on the PATH");
    process.exit(1);
  }
  const folder = mkdtempSync(join(tmpdir(), "countersign-bench-"));
  const source = join(import.meta.dirname, "../peers/go-x509");
  const binary = join(folder, "go-x509");
  execFileSync("go", ["build", "-o", binary, "."], {
    cwd: source,
    stdio: "inherit",
    env: { ...process.env, GOTOOLCHAIN: "local" },
  });
  writeFileSync(join(folder, "requests.json"), JSON.stringify(requests.map(base64)));
  for (const [name, { key, certificate }] of Object.entries(authorities)) {
    const pkcs8 = createPrivateKey(key.encodePem()).export({ type: "pkcs8", format: "der" });
    const content = JSON.stringify({ certificate: base64(certificate.raw), key: base64(pkcs8) });
    writeFileSync(join(folder, `${name}.json`), content, { mode: 0o600 });
  }

  const peer = spawn(binary, [folder], {
    stdio: ["pipe", "pipe", "inherit"],
    env: { ...process.env, GOMAXPROCS: "1" },
  });
  const answers = createInterface({ input: peer.stdout })[Symbol.asyncIterator]();
  return {
    /** Issues for every request once with the named CA and answers the nanoseconds. @param {string} authority */
    async round(authority) {
      peer.stdin.write(`${authority}\n`);
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
