// The two cases of the super simple discovery API: all endpoints have moved, and the roots were rotated while the
// client was off. The daemon has read the news before, or finds its way back by what is left.

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { aClusterInfo, aDocument, CLUSTER_ID, plainServer, TOKEN } from "../../../test/builders/discovery.ts";
import { aTestCa, type TestCa } from "../../../test/builders/tls-pair.ts";
import { createManualClock, type ManualClock } from "../../../test/fakes/clock.ts";
import { answerJson, startTestServer, type TestServer } from "../../../test/fakes/https-server.ts";
import { parseKubeconfig } from "../../api/kubeconfig/index.ts";
import type { ClusterPlace } from "../certificates/index.ts";
import { createDiscoveryCache, type DiscoveryMethod, discover, wayOf } from "../discovery/index.ts";
import { execKubeconfig, fileKubeconfig } from "../join/kubeconfigs.ts";
import { createDiscoveryUpkeep } from "./discovery-upkeep.ts";

const MINUTE_MS = 60_000;

describe("the daemon's discovery", () => {
  let directory: string;
  let clock: ManualClock;
  const servers: TestServer[] = [];
  const stops: (() => Promise<void>)[] = [];

  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), "countersign-upkeep-"));
    clock = createManualClock(Date.now());
  });
  afterEach(async () => {
    for (const stop of stops.splice(0)) await stop();
    await Promise.all(servers.splice(0).map((server) => server.close()));
    rmSync(directory, { recursive: true, force: true });
  });

  async function aServer(ca: TestCa): Promise<TestServer> {
    const server = await startTestServer((_, response) => answerJson(response, 404, {}), ca);
    servers.push(server);
    return server;
  }
  type Parts = Parameters<typeof aDocument>[0];
  const publish = (server: TestServer, parts: Omit<Parts, "clusterId">) =>
    server.handle(plainServer(aClusterInfo(aDocument({ clusterId: CLUSTER_ID, ...parts }))));

  /** A joined node: the cache and both kubeconfigs as the join left them. */
  async function aNode(method: DiscoveryMethod, env: Readonly<Record<string, string>> = {}) {
    const cluster = await discover(method, { clock, env, limitMs: 0 });
    const cache = createDiscoveryCache(join(directory, "discovery.json"));
    const found = { cluster, way: wayOf(method), foundMs: clock.now(), confirmedMs: clock.now() };
    await cache.locked(() => cache.save(found), { clock });
    const paths = [join(directory, "kubeconfig"), join(directory, "kubelet-exec.kubeconfig")] as const;
    const address = { server: cluster.server, caPem: cluster.documentCaPem };
    writeFileSync(paths[0], fileKubeconfig(address, "/pki/current.pem"));
    writeFileSync(paths[1], execKubeconfig(address, { command: "kubelet-authenticator-tpm", args: ["--node-name=a"] }));
    return { paths, ...startUpkeep(paths, cluster, env) };
  }

  function startUpkeep(paths: readonly string[], first: ClusterPlace, env: Readonly<Record<string, string>>) {
    const said: string[] = [];
    let place = first;
    const upkeep = createDiscoveryUpkeep({
      ...{ cachePath: join(directory, "discovery.json"), kubeconfigs: paths, env, clock, random: () => 0.5 },
      place: () => place,
      move: (to) => {
        place = to;
      },
      onMoved: (words) => said.push(words),
      onTrouble: ({ message }) => said.push(message),
    });
    const stop = new AbortController();
    const running = upkeep.run(stop.signal);
    stops.push(async () => {
      stop.abort();
      await running;
    });
    return { said, place: () => place, nudge: upkeep.nudge, refreshed: () => clock.untilSleeping() };
  }

  const clusterIn = (path: string) => parseKubeconfig(readFileSync(path, "utf8")).clusters[0]?.cluster;
  const byToken = (url: string, caPins: readonly string[] = []): DiscoveryMethod => ({
    ...{ kind: "token", addresses: [url], token: TOKEN, caPins },
  });

  it("follows when all endpoints move, because it heard of the new ones while the old still worked", async () => {
    const ca = aTestCa();
    const [before, after] = [await aServer(ca), await aServer(ca)];
    publish(before, { server: before.url, caPem: ca.certPem });
    const node = await aNode(byToken(before.url));
    await node.refreshed();
    // The operator announces the move, hours before it happens.
    publish(before, { server: before.url, caPem: ca.certPem, servers: [before.url, after.url] });
    await clock.advance(MINUTE_MS / 2);
    await clock.untilSleeping();
    await clock.advance(10 * MINUTE_MS);
    await node.refreshed();
    publish(after, { server: after.url, caPem: ca.certPem });
    await before.close();
    await clock.advance(MINUTE_MS / 2);
    await clock.untilSleeping();
    // A manager could not reach it: the next look does not wait ten minutes.
    node.nudge();
    await node.refreshed();
    expect(node.place()).toMatchObject({ server: after.url });
    for (const path of node.paths) expect(clusterIn(path)?.server).toBe(after.url);
    expect(readFileSync(node.paths[1], "utf8")).toContain("kubelet-authenticator-tpm");
    expect(node.said.at(-1)).toContain(`the cluster is at ${after.url} now`);
  });

  it("follows when the roots were rotated while it slept, because the new ones were announced before", async () => {
    const [old, young] = [aTestCa("old"), aTestCa("young")];
    const [before, after] = [await aServer(old), await aServer(young)];
    const both = { caPem: old.certPem, moreRootsPem: [young.certPem], servers: [before.url, after.url] };
    publish(before, { server: before.url, ...both });
    const node = await aNode(byToken(before.url));
    await node.refreshed();
    // It sleeps for a week; the old servers and their CA are gone when it wakes.
    await before.close();
    publish(after, { server: after.url, caPem: young.certPem });
    await clock.advance(7 * 24 * 60 * MINUTE_MS);
    await clock.untilSleeping();
    await clock.advance(11 * MINUTE_MS);
    await node.refreshed();
    expect(node.place()).toMatchObject({ server: after.url });
    expect(node.place().caPem).toContain(young.certPem.trim());
    expect(node.place().caPem).not.toContain(old.certPem.trim());
    const data = clusterIn(node.paths[0])?.["certificate-authority-data"] ?? "";
    expect(Buffer.from(data, "base64").toString()).toContain(young.certPem.trim());
  });

  it("follows when addresses and roots changed without a word, by the URL where the first document came from", async () => {
    const [old, young, web] = [aTestCa("old"), aTestCa("young"), aTestCa("web")];
    const [before, after, store] = [await aServer(old), await aServer(young), await aServer(web)];
    const documentOf = (server: TestServer, ca: TestCa) =>
      aDocument({ server: server.url, caPem: ca.certPem, clusterId: CLUSTER_ID });
    publish(before, { server: before.url, caPem: old.certPem });
    publish(after, { server: after.url, caPem: young.certPem });
    store.handle((_, response) => void response.end(documentOf(before, old)));
    const roots = join(directory, "roots.pem");
    writeFileSync(roots, web.certPem);
    const method = { kind: "url", url: `${store.url}/cluster-info`, withCredentials: false, caPins: [] } as const;
    const node = await aNode(method, { SSL_CERT_FILE: roots });
    await node.refreshed();
    await before.close();
    store.handle((_, response) => void response.end(documentOf(after, young)));
    await clock.advance(MINUTE_MS / 2);
    await clock.untilSleeping();
    node.nudge();
    await node.refreshed();
    expect(node.place()).toMatchObject({ server: after.url });
    expect(clusterIn(node.paths[0])?.server).toBe(after.url);
  });

  it("says that no way leads there any more, changes nothing, and looks again soon", async () => {
    const ca = aTestCa();
    const server = await aServer(ca);
    publish(server, { server: server.url, caPem: ca.certPem });
    const node = await aNode(byToken(server.url));
    await node.refreshed();
    const kept = readFileSync(node.paths[0], "utf8");
    await server.close();
    await clock.advance(MINUTE_MS / 2);
    await clock.untilSleeping();
    node.nudge();
    await node.refreshed();
    expect(node.said).toEqual([expect.stringContaining("no cached way leads to the cluster any more")]);
    expect(readFileSync(node.paths[0], "utf8")).toBe(kept);
    expect(clock.pending()).toEqual([MINUTE_MS / 2]);
  });

  it("follows a document that leaves the roots to the machine, and takes none of those for the cluster's own", async () => {
    const [ca, machine] = [aTestCa("cluster"), aTestCa("machine")];
    const server = await aServer(ca);
    publish(server, { server: server.url, caPem: ca.certPem });
    const roots = join(directory, "roots.pem");
    writeFileSync(roots, machine.certPem + ca.certPem);
    const node = await aNode(byToken(server.url), { SSL_CERT_FILE: roots });
    await node.refreshed();
    publish(server, { server: server.url, caPem: "" });
    await clock.advance(MINUTE_MS / 2);
    await clock.untilSleeping();
    node.nudge();
    await node.refreshed();
    expect(node.place().caPem).toContain(machine.certPem.trim());
    expect(node.place().writtenCaPem).toBe("");
  });

  it("follows, and says what is wrong, although a kubeconfig cannot be led there", async () => {
    const ca = aTestCa();
    const [before, after] = [await aServer(ca), await aServer(ca)];
    publish(before, { server: before.url, caPem: ca.certPem });
    const node = await aNode(byToken(before.url));
    await node.refreshed();
    writeFileSync(node.paths[0], "a: [");
    const servers = [after.url, before.url];
    for (const server of [before, after]) publish(server, { server: after.url, caPem: ca.certPem, servers });
    await clock.advance(MINUTE_MS / 2);
    await clock.untilSleeping();
    node.nudge();
    await node.refreshed();
    expect(node.place()).toMatchObject({ server: after.url });
    expect(node.said.at(-1)).toContain("kubeconfig is not YAML");
  });

  it("writes nothing while nothing has changed", async () => {
    const ca = aTestCa();
    const server = await aServer(ca);
    publish(server, { server: server.url, caPem: ca.certPem });
    const node = await aNode(byToken(server.url));
    const kept = node.paths.map((path) => readFileSync(path, "utf8"));
    await node.refreshed();
    expect(node.paths.map((path) => readFileSync(path, "utf8"))).toEqual(kept);
    expect(node.said).toEqual([]);
  });
});
