// The identities that our programs have in production: service accounts with the rights of the manifests in deploy/.

import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { parseAllDocuments } from "yaml";
import type { ControlPlane } from "./control-plane.ts";
import { runKubectlOk } from "./kubectl.ts";

export function manifestPath(name: string): string {
  return fileURLToPath(new URL(`../../../deploy/${name}`, import.meta.url));
}

/** With the kinds of our own that the controller keeps its memory in, as an operator has applied them. */
export async function logInAsController(controlPlane: ControlPlane, file = "our-controller"): Promise<string> {
  const admin = { kubeconfig: controlPlane.adminKubeconfigPath, homeDir: controlPlane.dir };
  const definitions = manifestPath("crds");
  await runKubectlOk(["apply", "-f", definitions], admin);
  await runKubectlOk(["wait", "--for=condition=Established", "-f", definitions, "--timeout=20s"], admin);
  return await logIn(controlPlane, manifestPath("controller-rbac.yaml"), file);
}

export function logInAsGateway(controlPlane: ControlPlane): Promise<string> {
  return logIn(controlPlane, manifestPath("gateway-rbac.yaml"), "our-gateway");
}

/**
 * Applies the manifest that operators apply; the answer is the path of a kubeconfig with a token of the account's own.
 */
async function logIn(controlPlane: ControlPlane, manifest: string, file: string): Promise<string> {
  const { name, namespace } = await findServiceAccount(manifest);
  const admin = { kubeconfig: controlPlane.adminKubeconfigPath, homeDir: controlPlane.dir };
  await runKubectlOk(["apply", "-f", manifest], admin);
  const { stdout: token } = await runKubectlOk(["create", "token", name, "--namespace", namespace], admin);
  return controlPlane.writeTokenKubeconfig(file, token.trim());
}

async function findServiceAccount(manifest: string): Promise<{ readonly name: string; readonly namespace: string }> {
  const documents = parseAllDocuments(await readFile(manifest, "utf8")).map((document) => document.toJS());
  const account = documents.find((object) => object?.kind === "ServiceAccount");
  if (account === undefined) throw new Error(`${manifest} has no ServiceAccount`);
  return { name: account.metadata.name, namespace: account.metadata.namespace };
}
