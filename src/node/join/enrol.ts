// How a node comes to its certificate: the one it has, or a cluster, a credential and a request.

import { encodeRecipient } from "../../attestation/evidence/index.ts";
import { readCertificates } from "../../kernel/x509/index.ts";
import { nodeFileSystem, removeIfPresent } from "../../platform/files/index.ts";
import { createKubeClient } from "../../platform/kube/index.ts";
import type { CertificatePair, PairCertificate } from "../../platform/pair/index.ts";
import {
  type CertificateStore,
  checkIssued,
  evidenceClusterOf,
  nodeRootsOf,
  obtainCertificate,
  openFit,
  type RequestProgress,
} from "../certificates/index.ts";
import { chooseCredential, openCredential } from "./credential.ts";
import { type FoundCluster, findCluster } from "./find-cluster.ts";
import { type ClusterAddress, isSameCluster, loadKnownCluster } from "./kubeconfigs.ts";
import { type JoinOptions, signerNameOf, type TimedJoin } from "./options.ts";
import { createPatience, type Patience } from "./patience.ts";
import { joinPlaces } from "./places.ts";
import { type Remembered, saveRemembered } from "./remembered.ts";

interface Enrolled {
  readonly cluster: ClusterAddress;
  readonly pair: CertificatePair;
}

/** A second run must not need the token any more: it may have expired long ago. */
export async function findKept(options: JoinOptions, store: CertificateStore): Promise<Enrolled | undefined> {
  const pair = store.load();
  if (pair === undefined) return undefined;
  const cluster = await loadKnownCluster(joinPlaces(options.directory).kubeconfigPath, options.env);
  if (cluster === undefined || !isSameCluster(cluster, options.discovery)) return undefined;
  const fit = isGood(options, cluster, pair) ? await openFit(store, pair) : undefined;
  return fit && { cluster, pair: fit };
}

export async function enrol(options: TimedJoin, store: CertificateStore): Promise<Enrolled> {
  const cluster = await findCluster(options);
  const credential = chooseCredential(options, cluster);
  const client = createKubeClient(await openCredential(options, cluster, credential));
  await saveRemembered(joinPlaces(options.directory).attestationPath, rememberedOf(options));
  const patience = createPatience(options.clock, (why) => options.waiting?.(why));
  try {
    const pair = await obtainCertificate({
      ...requestOf(options, cluster),
      ...reportProgress(options, patience),
      store,
      client,
    });
    options.progress?.("stored", store.layout.currentPath);
    const { bootstrapPath } = joinPlaces(options.directory);
    if (options.keepBootstrap !== true) await removeIfPresent(bootstrapPath, nodeFileSystem);
    return { cluster, pair };
  } finally {
    patience.end();
    await client.close();
  }
}

/** Written before anything is requested, so that commands which resume the join or renew later need no flags. */
function rememberedOf(options: JoinOptions): Remembered {
  const {
    nodeName,
    provider,
    providerPackage,
    providerId,
    evidenceCluster,
    recipient,
    providerFlags: flags = {},
  } = options;
  const sealed = recipient === undefined ? {} : { recipient: encodeRecipient(recipient) };
  const named = { nodeName, provider: provider.name, package: providerPackage };
  return { ...named, signerName: signerNameOf(options), providerId, clusterId: evidenceCluster, ...sealed, flags };
}

function requestOf(options: TimedJoin, cluster: FoundCluster) {
  return {
    nodeName: options.nodeName,
    signerName: signerNameOf(options),
    provider: options.provider,
    providerId: options.providerId,
    evidenceCluster: options.evidenceCluster ?? evidenceClusterOf(cluster.writtenCaPem ?? cluster.caPem),
    recipient: options.recipient,
    intent: "join" as const,
    roots: rootsOf(options, cluster),
    isGood: (found: PairCertificate) => isGood(options, cluster, found),
    onRefusal: "new-key" as const,
    clock: options.clock,
    signal: options.signal,
    limitMs: options.leftMs(),
  };
}

/**
 * The states of a request as steps: a fast signer shows approval and certificate at once, and both steps are reported.
 */
function reportProgress({ progress, provider }: JoinOptions, patience: Patience): RequestProgress {
  let isApproved = false;
  const approve = () => {
    if (!isApproved) progress?.("approved");
    isApproved = true;
  };
  return {
    onAttested: () => progress?.("attested", provider.name),
    onRequested: (name) => progress?.("requested", name),
    onState: (state) => {
      if (state.kind === "issued" || (state.kind === "pending" && state.approved)) approve();
      if (state.kind === "issued") progress?.("signed");
      if (state.kind === "pending") patience.note(state.why);
    },
  };
}

/** Of our name, signed for this cluster, and not expired. The key was compared when the pair was read. */
function isGood(options: JoinOptions, cluster: ClusterAddress, pair: PairCertificate): boolean {
  const [leaf] = readCertificates(pair.certificatePem);
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
  return nodeRootsOf(cluster, options.clientCaPem);
}
