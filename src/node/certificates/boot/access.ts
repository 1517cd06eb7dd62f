// The two ways of a node to the API server: with its certificate, and with the credential of its first start. Address
// and CA come from the kubeconfig, or from the bootstrap kubeconfig while there is none.

import { Fault, isFault } from "../../../kernel/outcome/index.ts";
import { createKubeClient, type LoadedConnection, loadKubeconfigConnection } from "../../../platform/kube/index.ts";
import { evidenceClusterOf } from "../attested/claims.ts";
import { nodeRootsOf } from "../check.ts";
import type { ClusterAccess } from "../manager/options.ts";
import type { BootPlaces } from "./gather.ts";

interface AccessOptions extends Pick<BootPlaces, "kubeconfig" | "bootstrapKubeconfig"> {
  /**
   * There is no bootstrap kubeconfig, and the kubeconfig has a token or a certificate that may request the first one.
   */
  readonly asksWithKubeconfig: boolean;
  /** CAs of nodes' certificates, where they are not the cluster's. */
  readonly clientCaPem?: string | undefined;
  /** For HTTPS_PROXY and NO_PROXY. */
  readonly env?: Readonly<Record<string, string | undefined>> | undefined;
}

/** The cluster's address and the CA to trust there. */
export interface ClusterPlace {
  readonly server: string;
  /** Every CA that the server's certificate may chain to. */
  readonly caPem: string;
  /** The cluster's own among them, as its document and the kubeconfigs have them; left out: all are; empty: none is. */
  readonly writtenCaPem?: string | undefined;
  readonly tlsServerName?: string | undefined;
}

export interface OpenAccess extends ClusterAccess, ClusterPlace {
  /** The proxy of the kubeconfig; it stays when the cluster moves. */
  readonly proxyUrl: string | undefined;
  /** The cluster was found at another address, or with other roots: later clients use those. */
  move(to: ClusterPlace): void;
}

export async function openClusterAccess(options: AccessOptions): Promise<OpenAccess> {
  const { kubeconfig, bootstrapKubeconfig, env } = options;
  const load = (path: string) => loadKubeconfigConnection(path, { env });
  const address =
    (await ifUsable(kubeconfig, load)) ??
    (bootstrapKubeconfig === undefined ? undefined : await load(bootstrapKubeconfig));
  if (address === undefined) throw new Fault("bad-config", "neither kubeconfig nor bootstrap kubeconfig can be used");
  const { server, caPem, tlsServerName, usesSystemRoots } = address;
  let place: ClusterPlace = { server, caPem, tlsServerName, writtenCaPem: usesSystemRoots ? "" : undefined };
  let moved: ClusterPlace | undefined;
  let stays = new AbortController();
  return {
    proxyUrl: address.proxyUrl,
    get server() {
      return place.server;
    },
    get caPem() {
      return place.caPem;
    },
    get writtenCaPem() {
      return place.writtenCaPem;
    },
    get tlsServerName() {
      return place.tlsServerName;
    },
    get roots() {
      return nodeRootsOf(place, options.clientCaPem);
    },
    // From the written CA, as at the join and at the next start: the machine's own roots do not tell clusters apart.
    get evidenceCluster() {
      return evidenceClusterOf(place.writtenCaPem ?? place.caPem);
    },
    untilMoved: () => stays.signal,
    move: (to) => {
      place = to;
      moved = to;
      stays.abort();
      stays = new AbortController();
    },
    asNode: ({ certificatePem: certPem, keyPem }) =>
      createKubeClient({ ...address, ...place, credentials: () => ({ certPem, keyPem }) }),
    // Read each time, because the token's file may have been renewed.
    asBootstrapper: async () => {
      if (bootstrapKubeconfig !== undefined)
        return createKubeClient({ ...(await load(bootstrapKubeconfig)), ...moved });
      return options.asksWithKubeconfig ? createKubeClient({ ...address, ...moved }) : undefined;
    },
  };
}

async function ifUsable(
  path: string | undefined,
  load: (path: string) => Promise<LoadedConnection>,
): Promise<LoadedConnection | undefined> {
  if (path === undefined) return undefined;
  try {
    return await load(path);
  } catch (error) {
    if (isFault(error)) return undefined;
    throw error;
  }
}
