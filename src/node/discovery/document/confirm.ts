// A document that came out of band says where the cluster should be; this asks whether it is there. As kubeadm does with
// its discovery file: any answer over TLS that the document's roots vouch for counts, even a refusal. A document without
// a CA gets the cluster's own one, if that vouches for the same server, so that what follows trusts no more than it must.

import { isFault } from "../../../kernel/outcome/index.ts";
import type { DiscoveredCluster } from "../cluster.ts";
import type { DiscoverDeps } from "../deps.ts";
import { isRefusedAnswer, readClusterInfo } from "../read-cluster-info.ts";
import { untrusted } from "../refuse.ts";
import { withSystemRoots } from "../system-trust.ts";
import { parseConfigMap } from "../token/answer.ts";
import { type Attempt, tryInOrder } from "../wait.ts";
import { judgeDocument } from "./judge.ts";

/** The cluster with the first of its addresses that answers. */
export async function confirmCluster(
  found: DiscoveredCluster,
  deps: DiscoverDeps,
): Promise<Attempt<DiscoveredCluster>> {
  const cluster = await withSystemRoots(found, deps.env);
  return await tryInOrder(cluster.servers, async (server) => {
    const served = await readServed(cluster, server, deps);
    const value = { ...cluster, server };
    if (served === undefined || cluster.documentCaPem !== "") return { value };
    return { value: await withOwnCa(value, served, deps) };
  });
}

/** The document that the cluster itself serves; undefined when it shows none to strangers. */
export async function readServed(
  cluster: DiscoveredCluster,
  server: string,
  deps: DiscoverDeps,
): Promise<string | undefined> {
  const { caPem, tlsServerName } = cluster;
  try {
    const { signal, env } = deps;
    const answer = await readClusterInfo({ address: server, trust: { caPem }, tlsServerName, signal, env });
    return isRefusedAnswer(answer) ? undefined : parseConfigMap(answer.body).data["kubeconfig"];
  } catch (error) {
    if (isFault(error, "not-found")) return undefined; // a cluster without cluster-info is a cluster, too
    if (!isFault(error, "untrusted") || error.detail["check"] !== undefined) throw error;
    throw untrusted(
      {
        rule: "server-is-vouched-for",
        message:
          `none of the known roots vouches for ${server} (${error.message}): its CA was replaced, or somebody else ` +
          "answers there; get the document anew, or discover the cluster with a token",
      },
      error,
    );
  }
}

async function withOwnCa(cluster: DiscoveredCluster, served: string, deps: DiscoverDeps): Promise<DiscoveredCluster> {
  const what = `the document of ${cluster.server}`;
  const verdict = judgeDocument({ text: served, what, caPins: [], clusterId: cluster.clusterId });
  if (verdict.kind === "Deny") throw untrusted(verdict);
  const { documentCaPem, clusterId } = verdict.cluster;
  if (documentCaPem === "") return cluster;
  const own = { ...cluster, caPem: documentCaPem, documentCaPem, anchorsPem: documentCaPem, usesSystemRoots: false };
  try {
    await readServed(own, cluster.server, deps);
    return { ...own, clusterId: cluster.clusterId ?? clusterId };
  } catch (error) {
    if (isFault(error, "untrusted")) return cluster; // the machine's roots vouch for this address, the cluster's do not
    throw error;
  }
}
