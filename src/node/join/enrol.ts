// How a node comes to its certificate: the one it has, or discovery and a request with the token.

import { parseToken } from "../../api/bootstrap/index.ts";
import { createKubeClient } from "../../platform/kube/index.ts";
import type { CertificatePair } from "../../platform/pair/index.ts";
import {
  type CertificateStore,
  checkIssued,
  obtainCertificate,
  parseCertificates,
  type RequestProgress,
} from "../certificates/index.ts";
import { discoverCluster } from "../discovery/index.ts";
import { loadKnownCluster } from "./known-cluster.ts";
import type { ClusterAddress } from "./kubeconfigs.ts";
import { type JoinOptions, kubeconfigPathOf, signerNameOf } from "./options.ts";
import { createPatience, type Patience } from "./patience.ts";

export interface Enrolled {
  readonly cluster: ClusterAddress;
  readonly pair: CertificatePair;
}

/** A second run must not need the token any more: it may have expired long ago. */
export async function findKept(options: JoinOptions, store: CertificateStore): Promise<Enrolled | undefined> {
  const pair = store.load();
  if (pair === undefined) return undefined;
  const cluster = await loadKnownCluster(kubeconfigPathOf(options), options.endpoint);
  return cluster !== undefined && isGood(options, cluster, pair) ? { cluster, pair } : undefined;
}

export async function enrol(options: JoinOptions, store: CertificateStore): Promise<Enrolled> {
  const { clock, signal, progress, waiting } = options;
  const token = parseToken(options.token);
  const cluster = await discoverCluster({
    endpoint: options.endpoint,
    token,
    caPins: options.caPins,
    clock,
    signal,
    limitMs: options.discoveryLimitMs,
    onDiscovered: (server) => progress?.("discovered", server),
    onWaiting: waiting,
  });
  progress?.("trusted", cluster.server);
  const bearer = { token: `${token.id}.${token.secret}` };
  const client = createKubeClient({ server: cluster.server, caPem: cluster.caPem, credentials: () => bearer });
  const patience = createPatience(clock, (why) => waiting?.(why));
  try {
    const pair = await obtainCertificate({
      ...reportProgress(options, patience),
      store,
      client,
      nodeName: options.nodeName,
      signerName: signerNameOf(options),
      provider: options.provider,
      roots: rootsOf(options, cluster),
      isGood: (found) => isGood(options, cluster, found),
      onRefusal: "new-key",
      clock,
      signal,
      limitMs: options.requestLimitMs,
    });
    progress?.("stored", store.layout.currentPath);
    return { cluster, pair };
  } finally {
    patience.end();
    await client.close();
  }
}

/** The states of a request as steps: a fast signer shows approval and certificate at once, and both words are said. */
function reportProgress({ progress }: JoinOptions, patience: Patience): RequestProgress {
  let isApproved = false;
  const approve = () => {
    if (!isApproved) progress?.("approved");
    isApproved = true;
  };
  return {
    onRequested: (name) => progress?.("requested", name),
    onState: (state) => {
      if (state.kind === "issued" || (state.kind === "pending" && state.approved)) approve();
      if (state.kind === "issued") progress?.("signed");
      if (state.kind === "pending") patience.note(state.why);
    },
  };
}

/** Ours by name, signed for this cluster, and not over. The key was compared when the pair was read. */
function isGood(options: JoinOptions, cluster: ClusterAddress, pair: CertificatePair): boolean {
  const [leaf] = parseCertificates(pair.certificatePem);
  if (leaf === undefined) return false;
  const verdict = checkIssued({
    certificatePem: pair.certificatePem,
    publicKey: leaf.publicKey.spki,
    nodeName: options.nodeName,
    roots: rootsOf(options, cluster),
    nowMs: options.clock.now(),
  });
  return verdict.kind === "Allow";
}

function rootsOf(options: JoinOptions, cluster: ClusterAddress) {
  return parseCertificates(options.clientCaPem ?? cluster.caPem);
}
