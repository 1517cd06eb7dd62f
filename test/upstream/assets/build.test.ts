import { execFile, spawnSync } from "node:child_process";
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { cacheDirectory, locateBinary, locateRelease, RELEASES, readModule } from "./binaries.mjs";
import { isOlder } from "./build.mjs";

const SCRIPT = fileURLToPath(new URL("./build.mjs", import.meta.url));
let dir: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), "countersign-assets-"));
});
afterEach(() => {
  vi.unstubAllEnvs();
  rmSync(dir, { recursive: true });
});

describe("finding binaries", () => {
  it("looks into $KUBEBUILDER_ASSETS first, for what envtest keeps there", () => {
    vi.stubEnv("KUBEBUILDER_ASSETS", dir);
    for (const name of ["etcd", "kubelet"]) addExecutable(join(dir, name));
    expect(locateBinary("etcd")).toMatchObject({ path: join(dir, "etcd"), present: true, from: "KUBEBUILDER_ASSETS" });
    expect(locateBinary("kubelet")).toMatchObject({ path: join(cacheDirectory(), "kubelet"), from: "cache" });
    expect(locateBinary("kube-apiserver").from).toBe("cache");
  });

  it("takes the older release from its cache, never from $KUBEBUILDER_ASSETS", () => {
    vi.stubEnv("KUBEBUILDER_ASSETS", dir);
    addExecutable(join(dir, "kube-apiserver"));
    expect(locateBinary("kube-apiserver").from).toBe("KUBEBUILDER_ASSETS");
    const path = join(cacheDirectory("older"), "kube-apiserver");
    expect(locateBinary("kube-apiserver", "older")).toMatchObject({ path, from: "cache" });
  });

  it("knows two releases, two minor versions apart", () => {
    const minor = (release: "present" | "older") => Number(readModule(release).kubernetesVersion.split(".")[1]);
    expect(minor("older")).toBe(minor("present") - 2);
  });

  it("names the cache after the Kubernetes version and the contents of go.mod", () => {
    vi.stubEnv("COUNTERSIGN_CACHE", dir);
    const { kubernetesVersion, hash } = readModule();
    expect(hash).toMatch(/^[0-9a-f]{8}$/);
    expect(cacheDirectory()).toBe(join(dir, "upstream", `${kubernetesVersion}-${hash}`));
    expect(locateBinary("etcd").present).toBe(false);
  });
});

describe("building", () => {
  it("fails with a clear sentence when something is missing and there is no Go", () => {
    const { status, stderr } = build({ PATH: "" });
    expect(status).toBe(1);
    expect(stderr).toMatch(/^Go is not installed, but etcd, .* must be built .*; install Go 1\.\d+\.\d+ or newer/);
  });

  it("fails with a clear sentence when Go is too old", () => {
    addExecutable(join(dir, "go"), "echo go1.19.8");
    const { status, stderr } = build({ PATH: `${dir}:/bin:/usr/bin` });
    expect(status).toBe(1);
    expect(stderr).toMatch(/^go1\.19\.8 is too old, and etcd, /);
  });

  it("shows progress, puts finished binaries into place and builds nothing twice", () => {
    // A compiler that writes its output file; the packages are installed when this suite runs.
    const compiler = 'if [ "$1" = env ]; then echo go9.0.0; else shift 5; cp /bin/true "$1"; fi';
    addExecutable(join(dir, "go"), compiler);
    const first = build({ PATH: `${dir}:${process.env["PATH"]}` });
    for (const release of RELEASES) {
      const names = locateRelease(release).map(({ name }) => name);
      const counted = `building kubelet ${names.indexOf("kubelet") + 1} of ${names.length}`;
      expect(first.stdout).toContain(`${counted} for Kubernetes ${readModule(release).kubernetesVersion} …`);
    }
    expect(first.status).toBe(0);
    const second = build({ PATH: `${dir}:${process.env["PATH"]}` });
    expect(second.stdout).not.toContain("building");
    expect(second.status).toBe(0);
  });

  it("builds each binary once when two builders start together", async () => {
    addExecutable(
      join(dir, "go"),
      'if [ "$1" = env ]; then echo go9.0.0; else shift 5; sleep 0.2; cp /bin/true "$1"; fi',
    );
    const env = environment({ PATH: `${dir}:${process.env["PATH"]}` });
    const outputs = await Promise.all([1, 2].map(() => promisify(execFile)(process.execPath, [SCRIPT], { env })));
    const all = outputs.map(({ stdout }) => stdout).join("");
    expect(all.match(/^building \S+ \d+ of/gm)).toHaveLength(RELEASES.flatMap(locateRelease).length);
    expect(all).toMatch(/^process \d+ is building into .*; waiting for it$/m);
  });

  it("takes over from a builder that died", () => {
    addExecutable(join(dir, "go"), 'if [ "$1" = env ]; then echo go9.0.0; else shift 5; cp /bin/true "$1"; fi');
    vi.stubEnv("COUNTERSIGN_CACHE", join(dir, "cache"));
    const { pid } = spawnSync("true");
    mkdirSync(cacheDirectory(), { recursive: true });
    writeFileSync(join(cacheDirectory(), "build.lock"), `${pid}\n`);
    expect(build({ PATH: `${dir}:${process.env["PATH"]}` }).status).toBe(0);
  });

  it("leaves nothing in place of a binary whose build failed, and goes on where it stopped", () => {
    addExecutable(join(dir, "go"), 'if [ "$1" = env ]; then echo go9.0.0; else exit 2; fi');
    const { status, stderr } = build({ PATH: `${dir}:/bin:/usr/bin` });
    expect(status).toBe(1);
    expect(stderr).toContain("go build go.etcd.io/etcd/server/v3 ended with 2");
  });
});

describe("the version of Go", () => {
  it.each([
    ["go1.26.8", "1.26.0", false],
    ["go1.26.0", "1.26.0", false],
    ["go1.27rc1", "1.26.3", false],
    ["go2.0", "1.26.3", false],
    ["devel go1.28-abc", "1.26.0", false],
    ["go1.25.9", "1.26.0", true],
    ["go1.26.2", "1.26.3", true],
    ["go1.26rc1", "1.26.3", true],
  ])("%s against %s: older is %s", (installed, needed, older) => {
    expect(isOlder(installed, needed)).toBe(older);
  });
});

function addExecutable(path: string, body = "exit 0"): void {
  mkdirSync(join(path, ".."), { recursive: true });
  writeFileSync(path, `#!/bin/sh\n${body}\n`);
  chmodSync(path, 0o755);
}

function build(env: Record<string, string>) {
  return spawnSync(process.execPath, [SCRIPT], { encoding: "utf8", env: environment(env) });
}

function environment(env: Record<string, string>): Record<string, string | undefined> {
  return { ...process.env, KUBEBUILDER_ASSETS: "", COUNTERSIGN_CACHE: join(dir, "cache"), ...env };
}
