// Which real binaries the upstream tests need, and where they are: first in $KUBEBUILDER_ASSETS, as envtest does, then
// in a cache outside the tree whose name changes with the Kubernetes version and with go.mod. There are two Go modules,
// one for each release of Kubernetes: the present one, and the one two minor versions before it, of which only the two
// programs exist whose age our own programs could notice.

import { createHash } from "node:crypto";
import { accessSync, constants, readFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const MODULE_DIR = fileURLToPath(new URL(".", import.meta.url));

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
/** @typedef {"present" | "older"} Release */
/** @typedef {"KUBEBUILDER_ASSETS" | "cache"} Origin */
/** @typedef {{ release: Release, name: BinaryName, path: string, present: boolean, from: Origin }} Binary */

/** In build order. */
export const RELEASES = /** @type {readonly Release[]} */ (["present", "older"]);

/** @type {Readonly<Record<Release, readonly BinaryName[]>>} */
const NAMES = {
  present: /** @type {readonly BinaryName[]} */ (Object.keys(GO_PACKAGES)),
  older: ["kube-apiserver", "kubelet"],
};

/** What envtest's asset directories hold; anything else there is ignored. */
const ENVTEST_NAMES = new Set(["etcd", "kube-apiserver", "kubectl"]);

/** @param {Release} release */
export function moduleDirectory(release) {
  return release === "present" ? MODULE_DIR : join(MODULE_DIR, release);
}

/**
 * @param {Release} [release]
 * @returns {{ kubernetesVersion: string, goVersion: string, hash: string }}
 */
export function readModule(release = "present") {
  const path = join(moduleDirectory(release), "go.mod");
  const text = readFileSync(path, "utf8");
  const kubernetesVersion = /^(?:require)?\s*k8s\.io\/kubernetes (v\S+)/m.exec(text)?.[1];
  const goVersion = /^go (\S+)/m.exec(text)?.[1];
  if (kubernetesVersion === undefined || goVersion === undefined) {
    throw new Error(`${path} names no Go version or no version of k8s.io/kubernetes`);
  }
  return { kubernetesVersion, goVersion, hash: createHash("sha256").update(text).digest("hex").slice(0, 8) };
}

/**
 * @param {Release} [release]
 * @returns {string}
 */
export function cacheDirectory(release = "present") {
  const { env } = process;
  const root = env["COUNTERSIGN_CACHE"] || join(env["XDG_CACHE_HOME"] || join(homedir(), ".cache"), "countersign");
  const { kubernetesVersion, hash } = readModule(release);
  return join(root, "upstream", `${kubernetesVersion}-${hash}`);
}

/**
 * Where a binary is, or where it will be once it is built.
 * @param {BinaryName} name
 * @param {Release} [release]
 * @returns {Binary}
 */
export function locateBinary(name, release = "present") {
  if (!NAMES[release].includes(name)) throw new Error(`no test needs a ${name} of the ${release} release`);
  const given = release === "present" ? process.env["KUBEBUILDER_ASSETS"] : undefined;
  if (given && ENVTEST_NAMES.has(name) && isExecutable(join(given, name))) {
    return { release, name, path: join(given, name), present: true, from: "KUBEBUILDER_ASSETS" };
  }
  const path = join(cacheDirectory(release), `${name}${ownSourceHash(GO_PACKAGES[name])}`);
  return { release, name, path, present: isExecutable(path), from: "cache" };
}

/**
 * All of one release, in build order.
 * @param {Release} release
 */
export function locateRelease(release) {
  return NAMES[release].map((name) => locateBinary(name, release));
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
