// What a real kubelet and a software TPM need from the distribution. Debian's own packages are enough; root installs
// them, anybody else is told what to ask for.

import { spawnSync } from "node:child_process";
import { accessSync, constants } from "node:fs";
import { delimiter, join } from "node:path";

/** Where Debian puts CNI plugins. */
export const CNI_BIN_DIR = "/usr/lib/cni";

/** @type {readonly { name: string, proof: string }[]} */
const PACKAGES = [
  { name: "containerd", proof: "containerd" },
  { name: "runc", proof: "runc" },
  { name: "containernetworking-plugins", proof: join(CNI_BIN_DIR, "loopback") },
  { name: "util-linux", proof: "unshare" },
  { name: "swtpm", proof: "swtpm" },
  { name: "swtpm-tools", proof: "swtpm_setup" },
  { name: "tpm2-tools", proof: "tpm2_quote" },
];

/** @param {string} command a path, or a name to be found on the PATH */
function isInstalled(command) {
  const places = command.startsWith("/")
    ? [command]
    : [...(process.env["PATH"] ?? "").split(delimiter), "/usr/sbin", "/sbin"].map((dir) => join(dir, command));
  return places.some((place) => {
    try {
      accessSync(place, constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });
}

/** @returns {string[]} */
export function missingPackages() {
  return PACKAGES.filter(({ proof }) => !isInstalled(proof)).map(({ name }) => name);
}

/** @param {{ log: (line: string) => void }} options */
export function ensurePackages({ log }) {
  const missing = missingPackages();
  if (missing.length === 0) return;
  const wish = `the tests against real parts need the Debian packages ${missing.join(", ")}`;
  const advice = `run: apt-get install --no-install-recommends ${missing.join(" ")}`;
  if (process.getuid?.() !== 0 || !isInstalled("apt-get")) {
    throw new Error(`${wish}, which are not installed and cannot be installed without root and apt-get; ${advice}`);
  }
  log(`installing ${missing.join(", ")} …`);
  const output = aptGet(["update"]) + aptGet(["install", "--yes", "--no-install-recommends", ...missing]);
  const still = missingPackages();
  if (still.length > 0) {
    const last = output.trimEnd().split("\n").slice(-15).join("\n");
    throw new Error(`${wish}; apt-get did not install ${still.join(", ")}; ${advice}\n${last}`);
  }
}

/** @param {string[]} args */
function aptGet(args) {
  const { stdout, stderr } = spawnSync("apt-get", args, {
    encoding: "utf8",
    env: { ...process.env, DEBIAN_FRONTEND: "noninteractive" },
  });
  return stdout + stderr;
}
