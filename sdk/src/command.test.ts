// The suite as a program, with worlds as an author might write them.
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

const folder = mkdtempSync(join(tmpdir(), "conformance-"));
const program = join(folder, "countersign-conformance.mjs");
beforeAll(async () => {
  const source = fileURLToPath(new URL("command.ts", import.meta.url));
  await build({ entryPoints: [source], outfile: program, bundle: true, platform: "node", format: "esm" });
});
afterAll(() => rmSync(folder, { recursive: true }));

function start(...argv: readonly string[]) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [program, ...argv], {
    encoding: "utf8",
    timeout: 30_000,
  });
  return { status, stdout, stderr };
}

function run(world?: string) {
  if (world === undefined) return start();
  const path = join(folder, "world.mjs");
  writeFileSync(path, world);
  return start(path);
}

/** Keeps the process alive and never ends. */
const HANGING = "() => new Promise(() => setInterval(() => undefined, 1000))";
const worldWith = (gather: string) => `
  const both = { name: "example", contractVersion: 1, versions: [1], freshness: "challenge" };
  const provider = { ...both, canRenew: false, canServe: false, providerId: async () => "x:///1", attest: async () => ({}) };
  const no = () => ({ kind: "Refused", reason: "Never", message: "no" });
  const verifier = { ...both, gatherLimitMs: 20, gather: ${gather}, verifyClient: no, verifyServing: no };
  export const conformance = { provider, verifier };
  export const end = () => process.stdout.write("taken down\\n");`;

describe("countersign-conformance", () => {
  it("says what holds, what does not, how many, and takes the world down", () => {
    const { status, stdout } = run(worldWith("async () => undefined"));
    expect(status).toBe(1);
    expect(stdout).toContain("ok      both ends have one name, which a signer name can end with\n");
    expect(stdout).toContain(
      "failed  the verifier believes its own provider, twice the same: it was Refused Never: no\n",
    );
    expect(stdout).toMatch(/example does not conform: \d+ of \d+ checks hold\ntaken down\n$/);
  });

  it("ends, though a provider does not", () => {
    const { status, stdout } = run(worldWith(HANGING));
    expect(status).toBe(1);
    expect(stdout).toContain(
      "failed  the verifier believes its own provider, twice the same: gather took longer than 20 ms\n",
    );
    expect(stdout).toMatch(/taken down\n$/);
  });

  it("knows a package of endorsement keys alone", () => {
    const { status, stdout } = run(`
      const machine = { namespace: "n", name: "m", uid: "u", providerId: "x:///1", createdMs: 0, addresses: [] };
      const endorsementKeyOf = async ({ name }) => (name === "m" ? "sha256:${"0a".repeat(32)}" : undefined);
      export const endorsementKeys = () => ({ source: { name: "inventory", endorsementKeyOf }, machine });`);
    expect([status, stdout]).toEqual([0, expect.stringMatching(/inventory conforms: 5 of 5 checks hold\n$/)]);
  });

  it.each(["--help", "-h"])("says with %s what it is given and how it ends", (flag) => {
    const { status, stdout, stderr } = start(flag);
    expect([status, stderr]).toEqual([0, ""]);
    for (const words of [
      "usage: countersign-conformance MODULE\n",
      "conformance  ",
      "endorsementKeys  ",
      "Exit status: 0 ",
    ])
      expect(stdout).toContain(words);
  });

  it.each([
    ["without a module", undefined, /^usage: countersign-conformance MODULE\n$/],
    ["a module that cannot be loaded", "export const =", /world\.mjs cannot be used: /],
    ["a module without a world", "export {}", /world\.mjs must export conformance, .* or endorsementKeys/],
    [
      "a world that cannot be made",
      'export const conformance = () => { throw new TypeError("no key file"); };',
      /world\.mjs cannot be used: no key file\n$/,
    ],
  ])("refuses %s in one sentence", (_, world, words) => {
    expect(run(world)).toEqual({ status: 64, stdout: "", stderr: expect.stringMatching(words) });
  });
});
