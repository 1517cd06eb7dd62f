// Kubeconfigs that tests hand to kubectl, kubelets and to our own programs.

import { writeFile } from "node:fs/promises";
import { encodeKubeconfig, type KubeconfigUser } from "../../../src/api/kubeconfig/index.ts";

export interface ClusterAddress {
  readonly url: string;
  readonly caPem: string;
}

export async function writeKubeconfig(path: string, cluster: ClusterAddress, user: KubeconfigUser): Promise<string> {
  const text = encodeKubeconfig({
    clusters: [
      {
        name: "upstream",
        cluster: {
          server: cluster.url,
          "certificate-authority-data": Buffer.from(cluster.caPem, "utf8").toString("base64"),
        },
      },
    ],
    users: [{ name: "user", user }],
    contexts: [{ name: "upstream", context: { cluster: "upstream", user: "user" } }],
    currentContext: "upstream",
  });
  await writeFile(path, text, { mode: 0o600 });
  return path;
}
