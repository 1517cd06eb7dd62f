// A kubeconfig on disk for one user of one cluster.

import { writeFileSync } from "node:fs";
import { encodeKubeconfig, type KubeconfigUser } from "../../src/api/kubeconfig/index.ts";
import { encodeBase64, encodeUtf8 } from "../../src/kernel/bytes/index.ts";

export interface KubeconfigPlace {
  readonly url: string;
  readonly caPem: string;
}

export function writeKubeconfigFile(path: string, { url, caPem }: KubeconfigPlace, user: KubeconfigUser): string {
  const cluster = { server: url, "certificate-authority-data": encodeBase64(encodeUtf8(caPem)) };
  const text = encodeKubeconfig({
    clusters: [{ name: "c", cluster }],
    users: [{ name: "u", user }],
    contexts: [{ name: "x", context: { cluster: "c", user: "u" } }],
    currentContext: "x",
  });
  writeFileSync(path, text, { mode: 0o600 });
  return path;
}

/** For whom the server of test/fakes/api-server.ts lets do everything. */
export function writeAdminKubeconfig(
  path: string,
  server: KubeconfigPlace & { readonly adminCertPem: string; readonly adminKeyPem: string },
): string {
  const base64 = (text: string) => encodeBase64(encodeUtf8(text));
  return writeKubeconfigFile(path, server, {
    "client-certificate-data": base64(server.adminCertPem),
    "client-key-data": base64(server.adminKeyPem),
  });
}
