// Brings the cache up to date while any way back still works: the information drifts, but clients find some way to
// connect (super simple discovery API). The ways, in order; the first that gives a document that holds is taken:
//   1. a known address with a certificate of a known root: the cluster itself publishes its next addresses and roots
//   2. a known address whose CA has a pinned key: the certificate was reissued, its key is the same
//   3. the source of the first document: the URL (checked by this machine's roots), or the file
//   4. a token, if one is at hand
// So endpoints that have all moved are found by 3 or by a name that stayed; roots that were rotated while this machine
// was off by 2, 3, 4, or by 1 if the old set contained the new root. The cluster's id, once known, must stay.

import type { BootstrapToken } from "../../../api/bootstrap/index.ts";
import { Fault, isFault } from "../../../kernel/outcome/index.ts";
import { readCertificates } from "../../../kernel/x509/index.ts";
import { type DiscoveredCluster, untrusted } from "../cluster.ts";
import { atFirstAnswering } from "../discover.ts";
import { confirmCluster, readServed, withSystemRoots } from "../document/confirm.ts";
import { fetchDocument } from "../document/fetch.ts";
import { judgeDocument } from "../document/judge.ts";
import { loadDocument } from "../document/load.ts";
import { faultOf, isRefusedAnswer, readClusterInfo } from "../read-cluster-info.ts";
import { encodeBundle, mergeBundles } from "../roots.ts";
import { parseConfigMap } from "../token/answer.ts";
import { discoverByToken } from "../token/by-token.ts";
import { type DiscoverDeps, type DiscoveryAttempt, tryInOrder } from "../wait.ts";
import type { CachedDiscovery } from "./format.ts";

interface RefreshDeps extends DiscoverDeps {
  readonly token?: BootstrapToken | undefined;
}

export interface Refreshed extends CachedDiscovery {
  /** Which way worked, as text. */
  readonly by: string;
  readonly hasChanged: boolean;
}

interface Way {
  readonly by: string;
  go(): Promise<DiscoveryAttempt<DiscoveredCluster>>;
}

/** Fault `untrusted` or `unavailable`, with what became of every way; the cache stays as it is. */
export async function refreshDiscovery(cached: CachedDiscovery, deps: RefreshDeps): Promise<Refreshed> {
  const failures: { readonly by: string; readonly why: string; readonly refused: boolean }[] = [];
  for (const way of waysBack(cached, deps)) {
    try {
      const outcome = await way.go();
      if ("value" in outcome) return refreshed(cached, outcome.value, { by: way.by, nowMs: deps.clock.now() });
      failures.push({ by: way.by, why: outcome.why, refused: false });
    } catch (error) {
      if (!isFault(error) || error.code === "aborted") throw error;
      failures.push({ by: way.by, why: error.message, refused: error.code === "untrusted" });
    }
  }
  throw new Fault(
    failures.some(({ refused }) => refused) ? "untrusted" : "unavailable",
    `no cached way leads to the cluster any more: ${failures.map(({ by, why }) => `${by}: ${why}`).join("; ")}; ` +
      "give a token of the cluster, or its document, to discover it again",
    { detail: { check: "one-cached-way-holds" } },
  );
}

function waysBack(cached: CachedDiscovery, deps: RefreshDeps): readonly Way[] {
  const { way, cluster } = cached;
  const known = [...new Set([cluster.server, ...cluster.servers, ...(way.kind === "token" ? way.addresses : [])])];
  const { clusterId } = cluster;
  const { token } = deps;
  return [
    { by: "known address and root", go: () => byKnownRoots(cached, known, deps) },
    ...(way.caPins.length > 0 ? [{ by: "pinned key", go: () => byPins(cached, known, deps) }] : []),
    ...sourceWays(cached, deps),
    ...(token === undefined
      ? []
      : [
          {
            by: "token",
            go: () =>
              tryInOrder(known, (address) =>
                discoverByToken(
                  address,
                  { kind: "token", addresses: known, token, caPins: way.caPins, clusterId },
                  deps,
                ),
              ),
          },
        ]),
  ];
}

function sourceWays({ way, cluster }: CachedDiscovery, deps: RefreshDeps): readonly Way[] {
  const common = { withCredentials: false, caPins: way.caPins, clusterId: cluster.clusterId };
  if (way.kind === "url") {
    const fetch = () => fetchDocument({ ...common, kind: "url", url: way.url, headerFile: way.headerFile }, deps);
    return [{ by: `document at ${new URL(way.url).host}`, go: async () => confirmCluster(await fetch(), deps) }];
  }
  if (way.kind !== "file" || way.path === "-") return [];
  const load = () => loadDocument({ ...common, kind: "file", path: way.path }, deps);
  return [{ by: `file ${way.path}`, go: async () => confirmCluster(await load(), deps) }];
}

async function byKnownRoots(
  { cluster }: CachedDiscovery,
  known: readonly string[],
  deps: RefreshDeps,
): Promise<DiscoveryAttempt<DiscoveredCluster>> {
  const trusted = await withSystemRoots(cluster, deps.env);
  return await tryInOrder(known, async (server) => {
    const served = await readServed(trusted, server, deps);
    // It is the cluster, and anonymous requests may not read cluster-info: what is known is still good.
    if (served === undefined) return { value: { ...trusted, server } };
    const what = `the document of ${server}`;
    const verdict = judgeDocument({ text: served, what, caPins: [], clusterId: cluster.clusterId });
    if (verdict.kind === "Deny") throw untrusted(verdict);
    const next = await withSystemRoots({ ...verdict.cluster, server }, deps.env);
    return { value: await atFirstAnswering(await keepingOldRoots(trusted, next, deps), deps) };
  });
}

/**
 * During a rotation the document may be ahead of the servers' certificates: a client that took only its roots would
 * lock itself out. The old ones then stay beside the new until the new ones suffice.
 */
async function keepingOldRoots(
  old: DiscoveredCluster,
  next: DiscoveredCluster,
  deps: RefreshDeps,
): Promise<DiscoveredCluster> {
  try {
    await readServed(next, next.server, deps);
    return next;
  } catch (error) {
    if (!isFault(error, "untrusted")) throw error;
    const both = encodeBundle(
      mergeBundles([readCertificates(next.documentCaPem), readCertificates(old.documentCaPem)]),
    );
    const usesSystemRoots = next.usesSystemRoots || old.usesSystemRoots;
    return await withSystemRoots(
      { ...next, caPem: both, documentCaPem: both, anchorsPem: both, usesSystemRoots },
      deps.env,
    );
  }
}

async function byPins(
  { cluster, way }: CachedDiscovery,
  known: readonly string[],
  deps: RefreshDeps,
): Promise<DiscoveryAttempt<DiscoveredCluster>> {
  return await tryInOrder(known, async (address) => {
    const answer = await readClusterInfo({ address, trust: { anybody: true }, signal: deps.signal, env: deps.env });
    if (isRefusedAnswer(answer)) throw faultOf(answer, address);
    const text = parseConfigMap(answer.body).data["kubeconfig"] ?? "";
    const what = `the document of ${address}`;
    const verdict = judgeDocument({ text, what, caPins: way.caPins, clusterId: cluster.clusterId });
    if (verdict.kind === "Deny") throw untrusted(verdict);
    // The document names the key; only a server with a certificate of that key proves it.
    const pinned = { ...verdict.cluster, caPem: verdict.cluster.anchorsPem };
    const again = await readServed(pinned, address, deps);
    if (again !== text) return { why: `${address} serves another document to whom it can prove itself` };
    return { value: await atFirstAnswering(verdict.cluster, deps) };
  });
}

function refreshed(
  cached: CachedDiscovery,
  cluster: DiscoveredCluster,
  { by, nowMs }: { readonly by: string; readonly nowMs: number },
): Refreshed {
  const hasChanged =
    cluster.kubeconfigText !== cached.cluster.kubeconfigText ||
    cluster.documentCaPem !== cached.cluster.documentCaPem ||
    cluster.servers.join() !== cached.cluster.servers.join();
  return {
    cluster: { ...cluster, clusterId: cluster.clusterId ?? cached.cluster.clusterId },
    way: cached.way,
    foundMs: hasChanged ? nowMs : cached.foundMs,
    confirmedMs: nowMs,
    by,
    hasChanged,
  };
}
