// The identity that our controller has in production: a service account with the rights of deploy/controller-rbac.yaml.

import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { parseAllDocuments } from "yaml";
import type { ControlPlane } from "./control-plane.ts";
import { runKubectlOk } from "./kubectl.ts";

const MANIFEST = fileURLToPath(new URL("../../../deploy/controller-rbac.yaml", import.meta.url));

/** Applies the manifest that operators apply; the answer is the path of a kubeconfig with the account's token. */
export async function logInAsController(controlPlane: ControlPlane): Promise<string> {
  const { name, namespace } = await findServiceAccount();
  const admin = { kubeconfig: controlPlane.adminKubeconfigPath, homeDir: controlPlane.dir };
  await runKubectlOk(["apply", "-f", MANIFEST], admin);
  const { stdout: token } = await runKubectlOk(["create", "token", name, "--namespace", namespace], admin);
  return controlPlane.writeTokenKubeconfig("our-controller", token.trim());
}

async function findServiceAccount(): Promise<{ readonly name: string; readonly namespace: string }> {
  const documents = parseAllDocuments(await readFile(MANIFEST, "utf8")).map((document) => document.toJS());
  const account = documents.find((object) => object?.kind === "ServiceAccount");
  if (account === undefined) throw new Error(`${MANIFEST} has no ServiceAccount`);
  return { name: account.metadata.name, namespace: account.metadata.namespace };
}
