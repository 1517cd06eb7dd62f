// The plugin of the same duty in Go, with client-go's types, built in the run from bench/peers/go-exec.
import { execFileSync, spawnSync } from "node:child_process";
import { join } from "node:path";

/** @param {string} folder @returns {string} the executable's path */
export function buildGoPlugin(folder) {
  if (spawnSync("go", ["version"]).status !== 0) {
    console.error("this benchmark compares with Go and needs the go command, which is not on the PATH");
    process.exit(1);
  }
  const binary = join(folder, "go-exec");
  execFileSync("go", ["build", "-o", binary, "."], {
    cwd: join(import.meta.dirname, "../peers/go-exec"),
    stdio: "inherit",
    env: { ...process.env, GOTOOLCHAIN: "local", CGO_ENABLED: "0" },
  });
  return binary;
}
