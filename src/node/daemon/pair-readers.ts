// Who reads the store's pair by himself: a kubeconfig that names its file.

import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { Fault, isFault } from "../../kernel/outcome/index.ts";
import { nodeFileSystem } from "../../platform/files/index.ts";
import type { CertificateStore } from "../certificates/index.ts";

/**
 * Sealed keys are for those who call the plugin. A kubeconfig that names the pair itself, or would have to be written so, belongs to a
 * kubelet or another client that needs a plain key: rather than break that one at the next rotation, nothing is begun.
 */
export async function requireNoReader(path: string | undefined, store: CertificateStore): Promise<void> {
  if (store.sealNow() === undefined) return;
  const { currentPath } = store.layout;
  const target = path === undefined ? undefined : resolve(path);
  if (target !== undefined && existsSync(target) && !(await mentions(target, currentPath))) return;
  throw new Fault(
    "bad-config",
    target === undefined || !existsSync(target)
      ? "a key that is sealed needs a kubeconfig that calls the plugin, and there is none"
      : `${target} reads the key from ${currentPath}, which a sealed one does not allow`,
    { detail: { todo: "countersign node join --provider tpm --seal-key writes one; or leave --seal-key out" } },
  );
}

export async function mentions(path: string, currentPath: string): Promise<boolean> {
  try {
    return (await nodeFileSystem.read(path)).includes(currentPath);
  } catch (error) {
    if (isFault(error, "not-found")) return false;
    throw error;
  }
}
