// The two ways to the API server that a node has: as itself, and with the credential of its first start. Where the server is
// and which CA to expect there comes from the kubeconfig, or from the bootstrap kubeconfig while there is none.

import { Fault, isFault } from "../../../kernel/outcome/index.ts";
import { createKubeClient, type LoadedConnection, loadKubeconfigConnection } from "../../../platform/kube/index.ts";
import { evidenceClusterOf } from "../attested/index.ts";
import { nodeRootsOf } from "../check.ts";
import type { ClusterAccess } from "../manager/index.ts";
import type { BootPlaces } from "./gather.ts";

export interface AccessOptions extends Pick<BootPlaces, "kubeconfig" | "bootstrapKubeconfig"> {
  /** The kubeconfig holds a token or a certificate that may ask for a first one, and there is no bootstrap kubeconfig. */
  readonly asksWithKubeconfig: boolean;
  /** CAs of nodes' certificates, where they are not the cluster's. */
  readonly clientCaPem?: string | undefined;
  /** For HTTPS_PROXY and NO_PROXY. */
  readonly env?: Readonly<Record<string, string | undefined>> | undefined;
}

/** Where the cluster is and whom to trust there. */
export interface ClusterPlace {
  readonly server: string;
  /** Every root that vouches for the server. */
  readonly caPem: string;
  /** The cluster's own among them, as its document and the kubeconfigs have them; left out: all are; empty: none is. */
  readonly writtenCaPem?: string | undefined;
  readonly tlsServerName?: string | undefined;
}

export interface OpenAccess extends ClusterAccess, ClusterPlace {
  /** How this machine gets out, where the kubeconfig says so; it stays when the cluster moves. */
  readonly proxyUrl: string | undefined;
  /** The cluster was found somewhere else, or with other roots: the next client goes there. */
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
    // Of what is written, as at the join and at the next start: this machine's own roots say nothing about which cluster is meant.
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
    // Read each time: whoever renews the token writes a new file.
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
