// The kubeconfig of a kubelet that uses files: written when the first certificate has come. It names the store's current
// pair, so a rotation needs no other one. A kubeconfig that works is never touched.

import { dirname, resolve } from "node:path";
import { atomicWriteFile, ensureDirectory } from "../../platform/files/index.ts";
import { fileKubeconfig } from "../join/kubeconfigs.ts";
import type { Booted } from "./boot.ts";
import { mentions } from "./pair-readers.ts";

/** Only after a bootstrap with the bootstrap kubeconfig: then the node's own was missing, or was of no use. */
export async function saveKubeconfig(path: string | undefined, booted: Booted, currentPath: string): Promise<void> {
  const { plan, access } = booted;
  if (path === undefined || plan.kind !== "bootstrap" || plan.with !== "bootstrap-kubeconfig") return;
  const target = resolve(path);
  if (await mentions(target, currentPath)) return;
  await ensureDirectory(dirname(target), 0o755);
  await atomicWriteFile(target, fileKubeconfig(access, currentPath), { mode: 0o600 });
}
