// A new provider as its author would have it: written by the command, built, shown to conform, and loaded by its package's name.
import { execFileSync, spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { DIST } from "../../../../test/journeys/program.ts";
import { loadProvider, loadVerifier } from "../../../attestation/sdk/index.ts";
import { runProgram } from "../../program.ts";
import { providerNew } from "./new.ts";

const ROOT = fileURLToPath(new URL("../../../../", import.meta.url));
const TSC = join(ROOT, "node_modules", "typescript", "bin", "tsc");
/** A build on a busy machine. */
const BUILD_LIMIT_MS = 120_000;

const work = mkdtempSync(join(tmpdir(), "countersign-provider-"));
const modules = join(work, "node_modules");
const directory = join(modules, "kubelet-authenticator-acme");
const inside = (path: string) => join(directory, path);

async function run(...argv: readonly string[]) {
  let text = "";
  const write = (more: string) => {
    text += more;
  };
  const stream = { write, isTty: false };
  const edge = { env: {}, stop: new AbortController().signal, stdout: stream, stderr: stream };
  const program = { name: "countersign", version: "0", summary: "test", groups: {}, commands: [providerNew] };
  return { exit: await runProgram(program, ["provider", "new", ...argv], edge), text };
}

/** What `npm install` would do. */
function install(): void {
  const sdk = join(modules, "@countersign", "sdk");
  mkdirSync(sdk, { recursive: true });
  cpSync(join(ROOT, "sdk", "package.json"), join(sdk, "package.json"));
  execFileSync(process.execPath, [TSC, "-p", join(ROOT, "sdk", "tsconfig.build.json"), "--outDir", join(sdk, "dist")]);
  symlinkSync(join(ROOT, "node_modules", "@types"), join(modules, "@types"));
  mkdirSync(join(modules, "countersign"));
  cpSync(join(ROOT, "package.json"), join(modules, "countersign", "package.json"));
  symlinkSync(DIST, join(modules, "countersign", "dist"));
}

const node = (...args: readonly string[]) =>
  spawnSync(process.execPath, args, { cwd: directory, encoding: "utf8", env: { PATH: process.env["PATH"] } });

beforeAll(async () => {
  expect((await run("acme", "--directory", directory)).exit).toBe(0);
  install();
  const { status, stdout } = node(TSC);
  expect({ status, stdout }).toEqual({ status: 0, stdout: "" });
}, BUILD_LIMIT_MS);
afterAll(() => rmSync(work, { recursive: true, force: true }));

describe("countersign provider new", () => {
  it("writes both ends, the plugin, a test and a guide", () => {
    const manifest = JSON.parse(readFileSync(inside("package.json"), "utf8"));
    expect(manifest.bin).toEqual({ "kubelet-authenticator-acme": "bin/kubelet-authenticator-acme.js" });
    for (const path of [
      "README.md",
      "src/node.ts",
      "src/verifier.ts",
      "src/provider.test.ts",
      ...Object.values<string>(manifest.bin),
    ])
      expect(existsSync(inside(path))).toBe(true);
    expect(statSync(inside("bin/kubelet-authenticator-acme.js")).mode & 0o111).toBe(0o111);
  });

  it("writes what passes its own test", () => {
    const { status, stdout } = node("--test", "dist/provider.test.js");
    expect({ status, stdout }).toMatchObject({ status: 0, stdout: expect.stringContaining("# fail 0") });
    expect(stdout).toContain("evidence with one part altered is refused");
  });

  it("writes what conforms, by the author's command", () => {
    const { status, stdout } = node(join(modules, "@countersign", "sdk", "dist", "command.js"), "dist/world.js");
    expect({ status, stdout }).toMatchObject({ status: 0, stdout: expect.stringContaining("acme conforms") });
    expect(stdout).not.toContain("failed");
  });

  it("writes a credential plugin", () => {
    const { status, stdout } = node("bin/kubelet-authenticator-acme.js", "--help");
    expect({ status, stdout }).toMatchObject({
      status: 0,
      stdout: expect.stringContaining("kubelet-authenticator-acme"),
    });
    expect(stdout).toContain("--settings");
    expect(stdout).toContain("cluster.x-k8s.io/kube-apiserver-client-kubelet-acme");
  });

  it("writes a package that both sides load by its name", async () => {
    const installedAbove = dirname(modules);
    const settings = { machine: "one", keyFile: "k", machinesFile: "m" };
    const options = { installedAbove, settings };
    expect((await loadProvider("kubelet-authenticator-acme", options)).name).toBe("acme");
    expect((await loadVerifier("kubelet-authenticator-acme", options)).name).toBe("acme");
  });

  it("writes over nothing", async () => {
    const again = await run("acme", "--directory", directory);
    expect(again.exit).not.toBe(0);
    expect(again.text).toContain("package.json");
  });

  it.each(["tpm", "insecure", "null", "Acme", "../evil", ""])("refuses the name %j", async (name) => {
    expect((await run(name, "--directory", join(work, "refused"))).exit).not.toBe(0);
    expect(existsSync(join(work, "refused"))).toBe(false);
  });
});
