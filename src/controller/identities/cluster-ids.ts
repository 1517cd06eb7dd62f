// What evidence may call the cluster (Messages): the ids that the operator gave, else the pins of every valid CA. The
// one that signs is known; while it is being replaced, machines come with the pin of either, and both stand in
// cluster-info, which is where machines have them from. Only CAs of the signing one's name count: a root that several
// clusters share must not make one of them pass for another.

import type { ConfigMap } from "../../api/core/index.ts";
import { parseKubeconfig, readClusterLocation } from "../../api/kubeconfig/index.ts";
import { encodeHex, equalBytes } from "../../kernel/bytes/index.ts";
import { sha256 } from "../../kernel/crypto/index.ts";
import { isFault } from "../../kernel/outcome/index.ts";
import { type Certificate, readCertificates } from "../../kernel/x509/index.ts";

/** Of the CA that signs first, then of others of its name. */
type ClusterPins = (authority: Certificate) => readonly string[];

/** Cluster-info that is not there, or cannot be read, adds nothing. It is read once for each of its versions. */
export function createClusterPins(getClusterInfo: () => ConfigMap | undefined): ClusterPins {
  let known: { readonly version: string | undefined; readonly roots: readonly Certificate[] } | undefined;
  return (authority) => {
    const configMap = getClusterInfo();
    const version = configMap?.metadata.resourceVersion;
    if (known === undefined || known.version !== version) known = { version, roots: readRoots(configMap) };
    const others = known.roots.filter(({ subject }) => equalBytes(subject.raw, authority.subject.raw));
    return [...new Set([authority, ...others].map(pinOf))];
  };
}

/** Lazily: with ids of its own a cluster has names before it has a CA. */
type ClusterIds = (authority: () => Certificate) => readonly string[];

/**
 * Ids that were given are all there are: they are given where clusters share a CA, and then its pin is every one's
 * name, by which evidence made for another of them would be taken here.
 */
export function createClusterIds(pinsOf: ClusterPins, given: readonly string[]): ClusterIds {
  return (authority) => (given.length > 0 ? given : pinsOf(authority()));
}

/** `sha256:` and the hash of the CA's key: what a machine finds in its bootstrap data. */
function pinOf({ publicKey }: Certificate): string {
  return `sha256:${encodeHex(sha256(publicKey.spki))}`;
}

function readRoots(configMap: ConfigMap | undefined): readonly Certificate[] {
  const text = configMap?.data?.["kubeconfig"];
  if (text === undefined) return [];
  try {
    const cluster = parseKubeconfig(text).clusters[0]?.cluster;
    return cluster === undefined ? [] : readClusterLocation(cluster).rootsPem.flatMap(readCertificates);
  } catch (error) {
    if (isFault(error)) return [];
    throw error;
  }
}
