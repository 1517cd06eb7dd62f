// Which real binaries the upstream tests need, and where they are: first in $KUBEBUILDER_ASSETS, as envtest does, then in
// a cache outside the tree whose name changes with the Kubernetes version and with go.mod.

import { createHash } from "node:crypto";
import { accessSync, constants, readFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

export const MODULE_DIR = fileURLToPath(new URL(".", import.meta.url));

/** Go package of each binary, in build order: what every test needs comes first. */
export const GO_PACKAGES = Object.freeze({
  etcd: "go.etcd.io/etcd/server/v3",
  "kube-apiserver": "k8s.io/kubernetes/cmd/kube-apiserver",
  kubectl: "k8s.io/kubernetes/cmd/kubectl",
  kubeadm: "k8s.io/kubernetes/cmd/kubeadm",
  kubelet: "k8s.io/kubernetes/cmd/kubelet",
  "kube-controller-manager": "k8s.io/kubernetes/cmd/kube-controller-manager",
  kubemark: "k8s.io/kubernetes/cmd/kubemark",
  "protobuf-oracle": "./protobuf-oracle",
  informer: "./informer",
  pause: "./pause",
});

/** @typedef {keyof typeof GO_PACKAGES} BinaryName */
/** @typedef {{ name: BinaryName, path: string, present: boolean, from: "KUBEBUILDER_ASSETS" | "cache" }} Binary */

export const BINARY_NAMES = /** @type {readonly BinaryName[]} */ (Object.keys(GO_PACKAGES));

/** What envtest's asset directories hold; anything else there is ignored. */
const ENVTEST_NAMES = new Set(["etcd", "kube-apiserver", "kubectl"]);

/** @returns {{ kubernetesVersion: string, goVersion: string, hash: string }} */
export function readModule() {
  const text = readFileSync(join(MODULE_DIR, "go.mod"), "utf8");
  const kubernetesVersion = /^\s*k8s\.io\/kubernetes (v\S+)/m.exec(text)?.[1];
  const goVersion = /^go (\S+)/m.exec(text)?.[1];
  if (kubernetesVersion === undefined || goVersion === undefined) {
    throw new Error(`${join(MODULE_DIR, "go.mod")} names no Go version or no version of k8s.io/kubernetes`);
  }
  return { kubernetesVersion, goVersion, hash: createHash("sha256").update(text).digest("hex").slice(0, 8) };
}

/** @returns {string} */
export function cacheDirectory() {
  const { env } = process;
  const root = env["COUNTERSIGN_CACHE"] || join(env["XDG_CACHE_HOME"] || join(homedir(), ".cache"), "countersign");
  const { kubernetesVersion, hash } = readModule();
  return join(root, "upstream", `${kubernetesVersion}-${hash}`);
}

/**
 * Where a binary is, or where it will be once it is built.
 * @param {BinaryName} name
 * @returns {Binary}
 */
export function locateBinary(name) {
  const given = process.env["KUBEBUILDER_ASSETS"];
  if (given && ENVTEST_NAMES.has(name) && isExecutable(join(given, name))) {
    return { name, path: join(given, name), present: true, from: "KUBEBUILDER_ASSETS" };
  }
  const path = join(cacheDirectory(), `${name}${ownSourceHash(GO_PACKAGES[name])}`);
  return { name, path, present: isExecutable(path), from: "cache" };
}

/**
 * A package of this module is built anew when its source changes; what comes from elsewhere is pinned by go.mod.
 * @param {string} goPackage
 */
function ownSourceHash(goPackage) {
  if (!goPackage.startsWith("./")) return "";
  const source = readFileSync(join(MODULE_DIR, goPackage, "main.go"));
  return `-${createHash("sha256").update(source).digest("hex").slice(0, 8)}`;
}

/** @param {string} path */
function isExecutable(path) {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
