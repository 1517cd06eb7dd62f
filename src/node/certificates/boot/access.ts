// The two ways to the API server that a node has: as itself, and with the credential of its first start. Where the server is
// and which CA to expect there comes from the kubeconfig, or from the bootstrap kubeconfig while there is none.

import { Fault, isFault } from "../../../kernel/outcome/index.ts";
import { readCertificates } from "../../../kernel/x509/index.ts";
import { type Connection, createKubeClient, loadKubeconfigConnection } from "../../../platform/kube/index.ts";
import { clusterIdOf } from "../attested/index.ts";
import type { ClusterAccess } from "../manager/index.ts";
import type { BootPlaces } from "./gather.ts";

export interface AccessOptions extends Pick<BootPlaces, "kubeconfig" | "bootstrapKubeconfig"> {
  /** The kubeconfig holds a token or a certificate that may ask for a first one, and there is no bootstrap kubeconfig. */
  readonly asksWithKubeconfig: boolean;
  /** CAs of nodes' certificates, where they are not the cluster's. */
  readonly clientCaPem?: string | undefined;
}

/** Where the cluster is and whom to trust there. */
export interface ClusterPlace {
  readonly server: string;
  readonly caPem: string;
  readonly tlsServerName?: string | undefined;
}

export interface OpenAccess extends ClusterAccess, ClusterPlace {
  /** The cluster was found somewhere else, or with other roots: the next client goes there. */
  move(to: ClusterPlace): void;
}

export async function openClusterAccess(options: AccessOptions): Promise<OpenAccess> {
  const { kubeconfig, bootstrapKubeconfig } = options;
  const address = (await loadIfUsable(kubeconfig)) ?? (await loadIfUsable(bootstrapKubeconfig, "must"));
  if (address === undefined) throw new Fault("bad-config", "neither kubeconfig nor bootstrap kubeconfig can be used");
  const { server, caPem, tlsServerName } = address;
  if (caPem === undefined) throw new Fault("bad-config", "the kubeconfig names no CA for the cluster");
  let place: ClusterPlace = { server, caPem, tlsServerName };
  let moved: ClusterPlace | undefined;
  let stays = new AbortController();
  return {
    get server() {
      return place.server;
    },
    get caPem() {
      return place.caPem;
    },
    get tlsServerName() {
      return place.tlsServerName;
    },
    get roots() {
      return readCertificates(options.clientCaPem ?? place.caPem);
    },
    get clusterId() {
      return clusterIdOf(place.caPem);
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
        return createKubeClient({ ...(await loadKubeconfigConnection(bootstrapKubeconfig)), ...moved });
      return options.asksWithKubeconfig ? createKubeClient({ ...address, ...moved }) : undefined;
    },
  };
}

async function loadIfUsable(path: string | undefined, need?: "must"): Promise<Connection | undefined> {
  if (path === undefined) return undefined;
  try {
    return await loadKubeconfigConnection(path);
  } catch (error) {
    if (need === undefined && isFault(error)) return undefined;
    throw error;
  }
}
