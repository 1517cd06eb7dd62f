// The cluster that a directory knows from a kubeconfig that a join wrote there.

import { isFault } from "../../kernel/outcome/index.ts";
import { loadTextIfPresent } from "../../platform/files/index.ts";
import { type LoadedConnection, loadKubeconfigConnection } from "../../platform/kube/index.ts";
import { type DiscoveryMethod, parseEndpoint } from "../discovery/index.ts";
import type { ClusterAddress } from "./kubeconfigs.ts";

type Environment = Readonly<Record<string, string | undefined>> | undefined;

/** Undefined also for a file that is none of ours any more; a join writes it anew. `env` says where this machine's roots are. */
export async function loadKnownCluster(path: string, env: Environment): Promise<ClusterAddress | undefined> {
  const text = await loadTextIfPresent(path);
  if (text === undefined) return undefined;
  try {
    const address = addressOf(await loadKubeconfigConnection(path, { text, env }));
    return parseEndpoint(address.server) === "" ? undefined : address;
  } catch (error) {
    if (isFault(error)) return undefined;
    throw error;
  }
}

/** Where the machine's roots vouch for the server, none is written into the kubeconfigs that follow either. */
export function addressOf(connection: LoadedConnection): ClusterAddress {
  const { server, caPem, usesSystemRoots, tlsServerName, proxyUrl } = connection;
  return {
    server,
    caPem,
    ...(usesSystemRoots ? { writtenCaPem: "" } : {}),
    ...(tlsServerName === undefined ? {} : { tlsServerName }),
    ...(proxyUrl === undefined ? {} : { proxyUrl }),
  };
}

/** It counts only when the same address is asked for again: another may be another cluster, and discovery will tell. */
export function isSameCluster({ server }: ClusterAddress, method: DiscoveryMethod | undefined): boolean {
  if (method === undefined) return true;
  return method.kind === "token" && method.addresses.includes(parseEndpoint(server));
}
