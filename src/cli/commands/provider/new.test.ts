// What the command writes. That it builds, conforms, is loaded by its package's name and lets a machine join is seen in
// test/journeys/join-with-provider.test.ts.
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { VERSION } from "../../../platform/process/index.ts";
import { countersign, runProgram } from "../../index.ts";

const work = mkdtempSync(join(tmpdir(), "countersign-provider-"));
const directory = join(work, "kubelet-authenticator-acme");
const inside = (path: string) => join(directory, path);

async function run(...argv: readonly string[]) {
  let text = "";
  const write = (more: string) => {
    text += more;
  };
  const stream = { write, isTty: false };
  const edge = { env: {}, stop: new AbortController().signal, stdout: stream, stderr: stream };
  return { exit: await runProgram(countersign, ["provider", "new", ...argv], edge), text };
}

let said: string;
beforeAll(async () => {
  const { exit, text } = await run("acme", "--directory", directory);
  expect(exit).toBe(0);
  said = text;
});
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

  it("names every setting of both ends in the guide", () => {
    const settings = ["src/node.ts", "src/verifier.ts"].flatMap((path) =>
      [...readFileSync(inside(path), "utf8").matchAll(/textSetting\(settings, "(\w+)"\)/g)].map(([, name]) => name),
    );
    expect(settings).toEqual(["machine", "keyFile", "machinesFile"]);
    const guide = readFileSync(inside("README.md"), "utf8");
    for (const name of settings) expect(guide).toContain(`"${name}": `);
  });

  it("packs what was built, and none of what shows that it is right", () => {
    const { scripts, files } = JSON.parse(readFileSync(inside("package.json"), "utf8"));
    expect(scripts.prepack).toBe(scripts.build);
    expect(files).toEqual(expect.arrayContaining(["bin", "dist", "!dist/world.*", "!dist/*.test.*"]));
  });

  it("says how it is installed without a path of this computer in its package.json", () => {
    const line = `npm install --no-save ../countersign-sdk-${VERSION}.tgz ../countersign-${VERSION}.tgz`;
    expect(said).toContain(`\nnext: cd ${directory} && ${line} && npm test\n`);
    expect(readFileSync(inside("README.md"), "utf8")).toContain(`\n${line}\nnpm test`);
  });

  it("writes over nothing", async () => {
    const again = await run("acme", "--directory", directory);
    expect(again.exit).not.toBe(0);
    expect(again.text).toContain("package.json");
  });

  it("says which letters a name may have", async () => {
    expect((await run("ACME")).text).toContain('provider name "ACME" must be lower-case letters, digits and dashes');
  });

  it.each(["tpm", "insecure", "null", "Acme", "../evil", ""])("refuses the name %j", async (name) => {
    expect((await run(name, "--directory", join(work, "refused"))).exit).not.toBe(0);
    expect(existsSync(join(work, "refused"))).toBe(false);
  });
});
