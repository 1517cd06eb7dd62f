// The plugin starts at every credential refresh, so what it loads before it knows that it must ask is counted here:
// the files that its executable imports statically, directly or through others. A dynamic import is the slow way's door.

import { readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";

const SRC = fileURLToPath(new URL("../../", import.meta.url));
const STATIC_IMPORT = /^(?:import|export) (?!type )(?:[^"';]*? from )?"([^"]+)";$/gm;

function walk(path: string, seen: Set<string>): Set<string> {
  if (seen.has(path)) return seen;
  seen.add(path);
  for (const [, target = ""] of readFileSync(path, "utf8").matchAll(STATIC_IMPORT)) {
    if (target.startsWith(".")) walk(join(dirname(path), target), seen);
    else seen.add(target);
  }
  return seen;
}

describe("the plugin's everyday run", () => {
  const loaded = [...walk(join(SRC, "bin", "kubelet-authenticator-insecure.ts"), new Set())];

  it("loads only what reading a file and answering needs", () => {
    const files = loaded.filter((path) => path.startsWith(SRC)).map((path) => relative(SRC, path));
    expect(files.sort()).toEqual([
      "api/certificates/csr.ts",
      "api/certificates/index.ts",
      "api/certificates/node-name.ts",
      "api/certificates/signers.ts",
      "api/clientauth/index.ts",
      "bin/kubelet-authenticator-insecure.ts",
      "kernel/outcome/assert.ts",
      "kernel/outcome/fault.ts",
      "kernel/outcome/index.ts",
      "kernel/outcome/verdict.ts",
      "node/certificates/current.ts",
      "node/certificates/layout.ts",
      "node/certificates/plan.ts",
      "node/exec/authenticators.ts",
      "node/exec/flags.ts",
      "node/exec/index.ts",
      "node/exec/plan.ts",
      "node/exec/run.ts",
      "platform/pair/index.ts",
    ]);
  });

  it("loads no package", () => {
    const packages = loaded.filter((path) => !path.startsWith(SRC));
    expect(packages.sort()).toEqual(["node:crypto", "node:fs", "node:path", "node:util"]);
  });
});
