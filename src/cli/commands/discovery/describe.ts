// A discovered cluster as text and as JSON.

import { type CachedDiscovery, type CachedWay, listRoots } from "../../../node/index.ts";
import type { CommandContext } from "../../command.ts";
import { plainText } from "../../terminal/index.ts";

export function describeDiscovery({ terminal }: CommandContext, found: CachedDiscovery): void {
  const { cluster, way } = found;
  const line = (name: string, text: string) => terminal.out(`${name.padEnd(10)}${plainText(text)}\n`);
  line("cluster", cluster.clusterId ?? "says no id of its own");
  line("server", cluster.server);
  for (const server of cluster.servers) if (server !== cluster.server) line("", server);
  for (const [index, { pin, subject, notAfterMs }] of listRoots(cluster).entries()) {
    line(index === 0 ? "roots" : "", `${pin}  ${subject}, until ${new Date(notAfterMs).toISOString()}`);
  }
  if (cluster.usesSystemRoots) line(cluster.documentCaPem === "" ? "roots" : "", "those of this machine");
  line("found by", describeWay(way));
  line("found", new Date(found.foundMs).toISOString());
  line("confirmed", new Date(found.confirmedMs).toISOString());
}

export function discoveryJson({
  cluster,
  way,
  foundMs,
  confirmedMs,
}: CachedDiscovery): Readonly<Record<string, unknown>> {
  return {
    clusterID: cluster.clusterId,
    server: cluster.server,
    servers: cluster.servers,
    roots: listRoots(cluster).map(({ pin, subject, notAfterMs }) => ({
      pin,
      subject,
      notAfter: new Date(notAfterMs).toISOString(),
    })),
    trustSystemRoots: cluster.usesSystemRoots,
    way,
    found: new Date(foundMs).toISOString(),
    confirmed: new Date(confirmedMs).toISOString(),
  };
}

function describeWay(way: CachedWay): string {
  const pins = way.caPins.length === 0 ? "" : `, ${way.caPins.length} pinned keys`;
  if (way.kind === "token") return `a token at ${way.addresses.join(", ")}${pins}`;
  return way.kind === "file" ? `the file ${way.path}${pins}` : `the document at ${new URL(way.url).host}${pins}`;
}
