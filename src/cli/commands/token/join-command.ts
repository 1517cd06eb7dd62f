// The line that a person copies to the machine that shall join: address and CA are those of cluster-info, which is what the
// machine will be told, so a wrong one is seen here first.

import type { BootstrapToken } from "../../../api/bootstrap/index.ts";
import { encodeToken } from "../../../api/bootstrap/index.ts";
import type { ConfigMap } from "../../../api/core/index.ts";
import { parseKubeconfig, readClusterLocation } from "../../../api/kubeconfig/index.ts";
import { CONFIG_MAPS } from "../../../api/meta/index.ts";
import { Fault } from "../../../kernel/outcome/index.ts";
import { parseCertificates } from "../../../kernel/x509/index.ts";
import { caPinOf } from "../../../node/index.ts";
import type { KubeClient } from "../../../platform/kube/index.ts";

export const JOIN_TOOLS = { countersign: "countersign node join", kubeadm: "kubeadm join" } as const;
export type JoinTool = keyof typeof JOIN_TOOLS;

export async function joinCommand(client: KubeClient, token: BootstrapToken, tool: JoinTool): Promise<string> {
  const { data = {} } = await client.get<ConfigMap>(CONFIG_MAPS, { namespace: "kube-public", name: "cluster-info" });
  const [entry] = parseKubeconfig(data["kubeconfig"] ?? "").clusters;
  if (entry === undefined) throw new Fault("not-found", "kube-public/cluster-info names no cluster");
  const { servers, rootsPem } = readClusterLocation(entry.cluster);
  const pins = rootsPem.flatMap(parseCertificates).map(caPinOf);
  const flags = pins.map((pin) => ` --discovery-token-ca-cert-hash ${pin}`).join("");
  const { host } = new URL(servers[0] ?? entry.cluster.server);
  return `${JOIN_TOOLS[tool]} ${host} --token ${encodeToken(token)}${flags}`;
}
