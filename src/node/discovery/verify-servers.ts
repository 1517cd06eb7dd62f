// Every address and every root of a cluster, checked one by one: discovery needs only one that works, an operator wants
// to know about the others before the last one fails.

import { isFault } from "../../kernel/outcome/index.ts";
import { readCertificates } from "../../kernel/x509/index.ts";
import type { DiscoveredCluster } from "./cluster.ts";
import { readServed, withSystemRoots } from "./document/confirm.ts";
import { caPinOf } from "./roots.ts";
import type { DiscoverDeps } from "./wait.ts";

export interface LocationCheck {
  /** The address, or the pin of a root. */
  readonly subject: string;
  readonly ok: boolean;
  readonly message: string;
}

export async function verifyServers(cluster: DiscoveredCluster, deps: DiscoverDeps): Promise<readonly LocationCheck[]> {
  const trusted = await withSystemRoots(cluster, deps.env);
  return await Promise.all(trusted.servers.map((server) => verifyServer(trusted, server, deps)));
}

async function verifyServer(cluster: DiscoveredCluster, server: string, deps: DiscoverDeps): Promise<LocationCheck> {
  try {
    const served = await readServed(cluster, server, deps);
    if (served === undefined)
      return { subject: server, ok: true, message: "vouched for; shows no document to strangers" };
    const isSame = served === cluster.kubeconfigText;
    return { subject: server, ok: true, message: `vouched for; serves ${isSame ? "the same" : "another"} document` };
  } catch (error) {
    if (!isFault(error) || error.code === "aborted") throw error;
    return { subject: server, ok: false, message: error.message };
  }
}

interface RootFacts {
  readonly pin: string;
  readonly subject: string;
  readonly notBeforeMs: number;
  readonly notAfterMs: number;
}

export function listRoots({ documentCaPem }: DiscoveredCluster): readonly RootFacts[] {
  return readCertificates(documentCaPem).map((root) => ({
    pin: caPinOf(root),
    subject: root.subject.commonName ?? "without a name",
    notBeforeMs: root.notBeforeMs,
    notAfterMs: root.notAfterMs,
  }));
}

export function verifyRoots(cluster: DiscoveredCluster, nowMs: number): readonly LocationCheck[] {
  return listRoots(cluster).map(({ pin, subject, notBeforeMs, notAfterMs }) => {
    const until = new Date(notAfterMs).toISOString();
    if (nowMs < notBeforeMs) return { subject: pin, ok: false, message: `${subject} is not valid yet` };
    if (nowMs > notAfterMs) return { subject: pin, ok: false, message: `${subject} has expired at ${until}` };
    return { subject: pin, ok: true, message: `${subject} is valid until ${until}` };
  });
}
