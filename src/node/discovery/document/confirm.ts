// A document that came out of band says where the cluster should be; this checks that it is there. As kubeadm does with
// its discovery file: any answer over TLS that the document's roots vouch for counts, even a refusal. A document
// without a CA gets the cluster's own CA, if that vouches for the same server, so that later steps trust no more than
// needed.

import { isFault } from "../../../kernel/outcome/index.ts";
import { loadSystemRoots } from "../../../platform/http/index.ts";
import { type DiscoveredCluster, untrusted } from "../cluster.ts";
import { isRefusedAnswer, readClusterInfo } from "../read-cluster-info.ts";
import { parseConfigMap } from "../token/answer.ts";
import { type DiscoverDeps, type DiscoveryAttempt, tryInOrder } from "../wait.ts";
import { judgeDocument } from "./judge.ts";

/** The cluster with the first of its addresses that answers. */
export async function confirmCluster(
  found: DiscoveredCluster,
  deps: DiscoverDeps,
): Promise<DiscoveryAttempt<DiscoveredCluster>> {
  const cluster = await withSystemRoots(found, deps.env);
  return await tryInOrder(cluster.servers, async (server) => {
    const served = await readServed(cluster, server, deps);
    const value = { ...cluster, server };
    if (served === undefined || cluster.documentCaPem !== "") return { value };
    return { value: await withOwnCa(value, served, deps) };
  });
}

/** The document that the cluster itself serves; undefined when anonymous requests may not read it. */
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

/** Adds this machine's roots where the document leaves the choice of roots to the machine. */
export async function withSystemRoots(
  cluster: DiscoveredCluster,
  env: DiscoverDeps["env"],
): Promise<DiscoveredCluster> {
  if (!cluster.usesSystemRoots) return cluster;
  const caPem = `${cluster.documentCaPem}${await loadSystemRoots(env)}`;
  return { ...cluster, caPem, anchorsPem: caPem };
}
