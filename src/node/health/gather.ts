// All reads of a check-up: the directory, the cluster it names, and what that cluster says about this node's
// credentials. Nothing is changed, not even repaired.

import { isFault } from "../../kernel/outcome/index.ts";
import { loadText } from "../../platform/files/index.ts";
import { createKubeClient, loadKubeconfigClient } from "../../platform/kube/index.ts";
import { type CertificatePair, isSealed, type KeySeal, openPair } from "../../platform/pair/index.ts";
import { type CurrentPair, listWaitingNames, loadCurrentPair, storeLayout } from "../certificates/index.ts";
import { type ClusterAddress, type JoinPlaces, loadKnownCluster, loadRemembered } from "../join/index.ts";
import { askRight, findPending, type HealthClients, type HealthOptions, introduce, probeServer } from "./ask.ts";
import type { CertificateFact, ClosedKey, HealthFacts, Reach } from "./facts.ts";
import { findPlugin, readPermissions } from "./machine.ts";

export async function gatherHealth(options: HealthOptions): Promise<HealthFacts> {
  const { directory, places, clock, env, signal } = options;
  const current = lookAt(places);
  const load = (path: string) => loadKnownCluster(path, env);
  const cluster = (await load(places.kubeconfigPath)) ?? (await load(places.bootstrapPath));
  const reach: Reach = cluster === undefined ? { kind: "unread" } : await probeServer({ ...cluster, env, signal });
  const own = await openOwn(current, options.keySeal);
  const clients =
    cluster !== undefined && reach.kind === "answers" ? await openClients(cluster, own.pair, options) : {};
  try {
    const layout = storeLayout(places.certDirectory);
    const { nodeName } = options;
    const { providerId } = (await loadRemembered(places.attestationPath)) ?? {};
    const names = await listWaitingNames(layout, {
      nodeName,
      providerId,
      keyPem: await readText(layout.pendingKeyPath),
    });
    return {
      nowMs: clock.now(),
      directory,
      permissions: await readPermissions([directory, places.certDirectory]),
      certificate: certificateFact(current),
      server: cluster?.server,
      usesSystemRoots: cluster?.writtenCaPem === "",
      reach,
      plugin: await findPlugin(options),
      closedKey: own.closed,
      identity: await introduce(clients.node, signal),
      bootstrap: await introduce(clients.bootstrap, signal),
      hasBootstrap: (await readText(places.bootstrapPath)) !== undefined,
      pending: await findPending(names, clients, signal),
      mayRequest: await askRight(clients.node ?? clients.bootstrap, signal),
    };
  } finally {
    await clients.node?.close();
    await clients.bootstrap?.close();
  }
}

/** The current pair, or what is wrong with it; a directory that cannot be read is the permissions' finding. */
export function lookAt({ certDirectory }: Pick<JoinPlaces, "certDirectory">): CurrentPair {
  try {
    return loadCurrentPair(certDirectory);
  } catch (error) {
    if (isFault(error, "io-failed")) return { kind: "damaged", why: error.message };
    throw error;
  }
}

export function certificateFact(current: CurrentPair): CertificateFact {
  if (current.kind !== "present") return current;
  const { commonName, notBeforeMs, notAfterMs } = current.pair;
  return { kind: "present", nodeUser: commonName, notBeforeMs, notAfterMs, isSealed: isSealed(current.pair) };
}

interface OwnPair {
  readonly pair?: CertificatePair;
  readonly closed?: ClosedKey;
}

/** That a key does not open is a finding, and not the end of the check-up. */
async function openOwn(current: CurrentPair, keySeal: KeySeal | undefined): Promise<OwnPair> {
  if (current.kind !== "present") return {};
  try {
    return { pair: await openPair(current.pair, keySeal) };
  } catch (error) {
    if (!isFault(error) || error.code === "aborted") throw error;
    return { closed: { why: error.message, todo: String(error.detail["todo"] ?? "look at the TPM") } };
  }
}

async function openClients(
  cluster: ClusterAddress,
  pair: CertificatePair | undefined,
  { places: { bootstrapPath }, env }: HealthOptions,
): Promise<HealthClients> {
  const { server, caPem, tlsServerName, proxyUrl } = cluster;
  const credentials = pair === undefined ? undefined : pairOf(pair);
  const hasBootstrap = (await loadKnownCluster(bootstrapPath, env)) !== undefined;
  return {
    ...(credentials === undefined
      ? {}
      : { node: createKubeClient({ server, caPem, tlsServerName, proxyUrl, credentials, env }) }),
    ...(hasBootstrap ? { bootstrap: await loadKubeconfigClient(bootstrapPath, { env }) } : {}),
  };
}

function pairOf({ certificatePem: certPem, keyPem }: { readonly certificatePem: string; readonly keyPem: string }) {
  return () => ({ certPem, keyPem });
}

async function readText(path: string): Promise<string | undefined> {
  try {
    return await loadText(path);
  } catch (error) {
    if (isFault(error)) return undefined; // missing or not readable: the permissions check reports it
    throw error;
  }
}
