// A kubeconfig whose cluster has moved or has other roots. Only where the cluster is and whom to trust there changes in
// the entries that are meant; everything else stays as it was written: users, contexts, other clusters, comments,
// fields that are unknown here. Pure.

import { isMap, isSeq, parseDocument } from "yaml";
import { encodeBase64, encodeUtf8 } from "../../kernel/bytes/index.ts";
import { parseKubeconfig } from "./parse.ts";
import type { Kubeconfig, KubeconfigCluster } from "./types.ts";

interface ClusterMove {
  readonly server: string;
  /** The roots to name; empty: this machine's are trusted, and none is named. */
  readonly caPem: string;
  readonly tlsServerName: string | undefined;
  readonly isMeant: (entry: Kubeconfig["clusters"][number]) => boolean;
}

interface MovedKubeconfig {
  /** How many entries are of the cluster. */
  readonly meant: number;
  readonly hasChanged: boolean;
  readonly text: string;
}

/** Faults as of `parseKubeconfig`. */
export function moveClusters(text: string, move: ClusterMove): MovedKubeconfig {
  const { clusters } = parseKubeconfig(text);
  const places = clusters.flatMap((entry, at) => (move.isMeant(entry) ? [{ at, cluster: entry.cluster }] : []));
  const edits = places.flatMap(({ at, cluster }) => editsOf(cluster, move).map((edit) => ({ ...edit, at })));
  if (edits.length === 0) return { meant: places.length, hasChanged: false, text };
  const document = parseDocument(text, { version: "1.2", schema: "core", logLevel: "error" });
  const entries = document.get("clusters");
  for (const { at, field, value } of edits) {
    const entry = isSeq(entries) ? entries.get(at) : undefined;
    const cluster = isMap(entry) ? entry.get("cluster") : undefined;
    if (!isMap(cluster)) continue; // an entry without a cluster in it was not read as one that is meant
    if (value === undefined) cluster.delete(field);
    else cluster.set(field, value);
  }
  // kubectl does not indent its lists; lists that are indented stay so.
  const indentSeq = !/^clusters:[^\S\n]*\n- /m.test(text);
  return { meant: places.length, hasChanged: true, text: document.toString({ lineWidth: 0, indentSeq }) };
}

interface Edit {
  readonly field: keyof KubeconfigCluster;
  /** Undefined: the field goes. */
  readonly value: string | undefined;
}

function editsOf(cluster: KubeconfigCluster, { server, caPem, tlsServerName }: ClusterMove): readonly Edit[] {
  const wanted: readonly Edit[] = [
    { field: "server", value: server },
    // Where a file was named, what it holds is not ours to change: the roots stand in the kubeconfig from now on.
    { field: "certificate-authority", value: undefined },
    { field: "certificate-authority-data", value: caPem === "" ? undefined : encodeBase64(encodeUtf8(caPem)) },
    { field: "tls-server-name", value: tlsServerName },
  ];
  return wanted.filter(({ field, value }) => (cluster[field] ?? undefined) !== value);
}
