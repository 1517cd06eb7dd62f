// The files of a joined node, all in one directory that is its owner's alone.

import { join } from "node:path";

export interface JoinPlaces {
  /** kubelet's certificate store. */
  readonly certDirectory: string;
  /** For a kubelet that reads its certificate from the store. */
  readonly kubeconfigPath: string;
  /** For a kubelet that calls the plugin. */
  readonly execKubeconfigPath: string;
  /** The credential for the request; removed once the certificate is stored. An interrupted join is resumed from it. */
  readonly bootstrapPath: string;
  /** Where the cluster is, and the ways back to it. */
  readonly discoveryPath: string;
  /** The CA of client certificates, where it is not the cluster's. */
  readonly clientCaPath: string;
  /** With which provider, under which id and for which cluster the machine attests; for `node run` and `node renew`. */
  readonly attestationPath: string;
}

export function joinPlaces(directory: string): JoinPlaces {
  return {
    certDirectory: join(directory, "pki"),
    kubeconfigPath: join(directory, "kubeconfig"),
    execKubeconfigPath: join(directory, "kubelet-exec.kubeconfig"),
    bootstrapPath: join(directory, "bootstrap.kubeconfig"),
    discoveryPath: join(directory, "discovery.json"),
    clientCaPath: join(directory, "client-ca.crt"),
    attestationPath: join(directory, "attestation.json"),
  };
}
