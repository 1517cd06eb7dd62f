// Finds a cluster and proves that it is the right one, by any method of the super simple discovery API. One entry for
// all commands.

import { isFault } from "../../kernel/outcome/index.ts";
import type { DiscoveredCluster } from "./cluster.ts";
import { confirmCluster, readServed } from "./document/confirm.ts";
import { fetchDocument } from "./document/fetch.ts";
import { loadDocument } from "./document/load.ts";
import type { DiscoveryMethod, FileMethod, UrlMethod } from "./method.ts";
import { discoverByToken } from "./token/by-token.ts";
import { type DiscoverDeps, type DiscoveryAttempt, tryInOrder, untilAnswered } from "./wait.ts";

/**
 * Waits up to `limitMs` (5 minutes) for servers, documents and signatures that have not come. Faults: `untrusted` with
 * the rule that does not hold in `detail.check`; `timeout`; `bad-config`, `malformed` for files; `aborted`.
 */
export async function discover(method: DiscoveryMethod, surroundings: DiscoverDeps): Promise<DiscoveredCluster> {
  const deps = { ...surroundings, onDiscovered: once(surroundings.onDiscovered) };
  if (method.kind === "token") {
    const cluster = await untilAnswered(deps, () =>
      tryInOrder(method.addresses, (address) => discoverByToken(address, method, deps)),
    );
    return await atFirstAnswering(cluster, deps);
  }
  const read = await documentSource(method, deps);
  return await untilAnswered(deps, async () => {
    const found = await read();
    deps.onDiscovered?.(found.server);
    return await confirmCluster(found, deps);
  });
}

/** A URL is asked again after a pause; a file, which may be standard input, is read once and only its servers are. */
async function documentSource(
  method: FileMethod | UrlMethod,
  deps: DiscoverDeps,
): Promise<() => Promise<DiscoveredCluster>> {
  if (method.kind === "url") return () => fetchDocument(method, deps);
  const loaded = await loadDocument(method, deps);
  return async () => loaded;
}

/** Reports progress once, however often a server has to be asked. */
function once(told: DiscoverDeps["onDiscovered"]): (server: string) => void {
  let isTold = false;
  return (server) => {
    if (!isTold) told?.(server);
    isTold = true;
  };
}

/** The document may name several addresses; the first that answers is where everything goes. None: the first of all. */
export async function atFirstAnswering(cluster: DiscoveredCluster, deps: DiscoverDeps): Promise<DiscoveredCluster> {
  if (cluster.servers.length < 2) return cluster;
  try {
    const answering = await tryInOrder(cluster.servers, async (server): Promise<DiscoveryAttempt<string>> => {
      await readServed(cluster, server, deps);
      return { value: server };
    });
    return "value" in answering ? { ...cluster, server: answering.value } : cluster;
  } catch (error) {
    if (isFault(error, "untrusted")) return cluster;
    throw error;
  }
}
