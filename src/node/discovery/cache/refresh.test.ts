// What was found stays usable while the cluster changes, as long as one cached way still verifies.

import { chmodSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, describe, expect, it } from "vitest";
import {
  aClusterInfo,
  aDocument,
  answerStatus,
  CLUSTER_ID,
  type DocumentParts,
  OTHER_TOKEN,
  plainServer,
  TOKEN,
} from "../../../../test/builders/discovery.ts";
import { aTestCa, type TestCa } from "../../../../test/builders/tls-pair.ts";
import { createManualClock } from "../../../../test/fakes/clock.ts";
import { type Handler, startTestServer, type TestServer } from "../../../../test/fakes/https-server.ts";
import type { BootstrapToken } from "../../../api/bootstrap/index.ts";
import { readCertificates } from "../../../kernel/x509/index.ts";
import { systemClock } from "../../../platform/clock/index.ts";
import { discover } from "../discover.ts";
import type { DiscoveryMethod } from "../method.ts";
import { caPinOf } from "../roots.ts";
import { type CachedDiscovery, encodeCache, wayOf } from "./format.ts";
import { refreshDiscovery } from "./refresh.ts";
import { createDiscoveryCache } from "./store.ts";

const directory = mkdtempSync(join(tmpdir(), "refresh-"));
const servers: TestServer[] = [];
afterEach(async () => {
  await Promise.all(servers.splice(0).map((server) => server.close()));
});
afterAll(() => rmSync(directory, { recursive: true }));

const clock = createManualClock(Date.now());
const machine = aTestCa("machine-root");
const env = { SSL_CERT_FILE: join(directory, "machine.pem") };
writeFileSync(env.SSL_CERT_FILE, machine.certPem);

async function serve(ca: TestCa, handler: Handler = (_request, response) => answerStatus(response, 404, "NotFound")) {
  const server = await startTestServer(handler, ca);
  servers.push(server);
  return server;
}

/** A server that publishes this document. */
async function aCluster(ca: TestCa, parts: Partial<DocumentParts> = {}) {
  const server = await serve(ca);
  const publish = (more: Partial<DocumentParts> = {}) => {
    const text = aDocument({ server: server.url, caPem: ca.certPem, clusterId: CLUSTER_ID, ...parts, ...more });
    server.handle(plainServer(aClusterInfo(text)));
    return text;
  };
  publish();
  return { url: server.url, publish, close: () => server.close(), handle: server.handle };
}

async function found(method: DiscoveryMethod): Promise<CachedDiscovery> {
  const cluster = await discover(method, { clock, env, limitMs: 0 });
  return { cluster, way: wayOf(method), foundMs: 0, confirmedMs: 0 };
}

const byToken = (address: string, caPins: readonly string[] = []): DiscoveryMethod => ({
  kind: "token",
  addresses: [address],
  token: TOKEN,
  caPins,
});

const refresh = (cached: CachedDiscovery, token?: BootstrapToken) => refreshDiscovery(cached, { clock, env, token });

const pinOf = (ca: TestCa) => readCertificates(ca.certPem).map(caPinOf);

describe("a refresh", () => {
  it("confirms what has not changed", async () => {
    const cluster = await aCluster(aTestCa());
    const again = await refresh(await found(byToken(cluster.url)));
    expect(again).toMatchObject({ hasChanged: false, by: "known address and root", foundMs: 0 });
    expect(again.confirmedMs).toBe(clock.now());
  });

  it("takes over the addresses that the cluster names now, and follows them when it has moved", async () => {
    const ca = aTestCa();
    const old = await aCluster(ca);
    const moved = await aCluster(ca);
    const cached = await found(byToken(old.url));
    old.publish({ servers: [old.url, moved.url] });
    const next = await refresh(cached);
    expect(next).toMatchObject({ hasChanged: true, cluster: { servers: [old.url, moved.url] } });
    await old.close();
    expect(await refresh(next)).toMatchObject({ cluster: { server: moved.url } });
  });

  it("takes over new roots and lets go of old ones, step by step of a rotation", async () => {
    const [oldCa, newCa] = [aTestCa("old"), aTestCa("new")];
    const cluster = await aCluster(oldCa);
    let cached = await found(byToken(cluster.url));
    cluster.publish({ moreRootsPem: [newCa.certPem] });
    cached = await refresh(cached);
    expect(cached.cluster.documentCaPem).toBe(oldCa.certPem + newCa.certPem);
    await cluster.close();
    const after = await aCluster(newCa);
    cached = await refresh({ ...cached, cluster: { ...cached.cluster, server: after.url, servers: [after.url] } });
    expect(cached.cluster.documentCaPem).toBe(newCa.certPem);
  });

  it("keeps the old root beside the new one while the servers still have certificates of the old", async () => {
    const [oldCa, newCa] = [aTestCa("old"), aTestCa("new")];
    const cluster = await aCluster(oldCa);
    const cached = await found(byToken(cluster.url));
    cluster.publish({ caPem: newCa.certPem });
    const next = await refresh(cached);
    expect(next.cluster.documentCaPem).toBe(newCa.certPem + oldCa.certPem);
    expect(await refresh(next)).toMatchObject({ hasChanged: false });
  });

  it("is content with a cluster that shows strangers nothing", async () => {
    const cluster = await aCluster(aTestCa());
    const cached = await found(byToken(cluster.url));
    cluster.handle((_request, response) => answerStatus(response, 403, "Forbidden"));
    expect(await refresh(cached)).toMatchObject({ hasChanged: false });
  });

  describe("after a long sleep (a): all endpoints have moved", () => {
    it("finds the cluster through the URL of its document", async () => {
      const ca = aTestCa();
      const old = await aCluster(ca);
      let document = old.publish();
      const store = await serve(machine, (_request, response) => response.end(document));
      const cached = await found({ kind: "url", url: store.url, withCredentials: false, caPins: [] });
      await old.close();
      const moved = await aCluster(ca);
      document = moved.publish();
      expect(await refresh(cached)).toMatchObject({ hasChanged: true, cluster: { servers: [moved.url] } });
    });

    it("finds it through a file that was brought up to date", async () => {
      const ca = aTestCa();
      const old = await aCluster(ca);
      const path = join(directory, "cluster.yaml");
      writeFileSync(path, old.publish());
      const cached = await found({ kind: "file", path, withCredentials: false, caPins: [] });
      await old.close();
      const moved = await aCluster(ca);
      writeFileSync(path, moved.publish());
      expect(await refresh(cached)).toMatchObject({ by: `file ${path}`, cluster: { servers: [moved.url] } });
    });

    it("finds it at the address that was typed first, when that is a name that stayed", async () => {
      const ca = aTestCa();
      const inside = await aCluster(ca);
      const name = await aCluster(ca, { server: inside.url });
      const cached = await found(byToken(name.url));
      expect(cached.cluster.server).toBe(inside.url);
      await inside.close();
      name.publish({ server: name.url });
      expect(await refresh(cached)).toMatchObject({ cluster: { server: name.url } });
    });
  });

  describe("after a long sleep (b): the roots were rotated", () => {
    /** The same address with a certificate of another CA. */
    async function rotated(newCa: TestCa, old: CachedDiscovery) {
      await Promise.all(servers.filter(({ url }) => old.cluster.servers.includes(url)).map((server) => server.close()));
      const cluster = await aCluster(newCa);
      const { server: _, ...rest } = old.cluster;
      return { ...cluster, cached: { ...old, cluster: { ...rest, server: cluster.url, servers: [cluster.url] } } };
    }

    it("finds the cluster with a token that is given now", async () => {
      const old = await found(byToken((await aCluster(aTestCa("old"))).url));
      const newCa = aTestCa("new");
      const { cached } = await rotated(newCa, old);
      expect(await refresh(cached, TOKEN)).toMatchObject({ by: "token", cluster: { caPem: newCa.certPem } });
    });

    it("finds it through the URL of its document", async () => {
      const cluster = await aCluster(aTestCa("old"));
      let document = cluster.publish();
      const store = await serve(machine, (_request, response) => response.end(document));
      const old = await found({ kind: "url", url: store.url, withCredentials: false, caPins: [] });
      const newCa = aTestCa("new");
      const { cached, publish } = await rotated(newCa, old);
      document = publish();
      expect(await refresh(cached)).toMatchObject({ cluster: { caPem: newCa.certPem } });
    });

    it("finds it by the pinned key, when only the certificate of the CA is new", async () => {
      const ca = aTestCa("same-key");
      const cluster = await aCluster(ca);
      const old = await found(byToken(cluster.url, pinOf(ca)));
      const lost = { ...old.cluster, caPem: machine.certPem, documentCaPem: machine.certPem };
      expect(await refresh({ ...old, cluster: lost })).toMatchObject({
        by: "pinned key",
        cluster: { documentCaPem: ca.certPem },
      });
    });

    it("finds nothing when no way holds, says what became of each, and what to do", async () => {
      const old = await found(byToken((await aCluster(aTestCa("old"))).url));
      const { cached } = await rotated(aTestCa("new"), old);
      await expect(refresh(cached)).rejects.toMatchObject({
        code: "untrusted",
        message: expect.stringMatching(
          /^no cached way .*known address and root: none of the known roots .*give a token/,
        ),
        detail: { check: "one-cached-way-holds" },
      });
      await expect(refresh(cached, OTHER_TOKEN)).rejects.toMatchObject({ code: "untrusted" });
    });
  });

  it("does not take another cluster for the one it knows, even when its roots hold", async () => {
    const ca = aTestCa();
    const cluster = await aCluster(ca);
    const cached = await found(byToken(cluster.url));
    cluster.publish({ clusterId: "another" });
    await expect(refresh(cached)).rejects.toThrow("another cluster took its address");
  });

  it("does not take a pinned key's document from a server that cannot prove the key", async () => {
    const ca = aTestCa("pinned");
    const cluster = await aCluster(ca);
    const old = await found(byToken(cluster.url, pinOf(ca)));
    const impostor = await aCluster(aTestCa("impostor"), { caPem: ca.certPem });
    const lost = {
      ...old.cluster,
      servers: [impostor.url],
      server: impostor.url,
      caPem: machine.certPem,
      documentCaPem: machine.certPem,
    };
    const way = { ...old.way, addresses: [impostor.url] };
    await expect(refresh({ ...old, way, cluster: lost } as CachedDiscovery)).rejects.toMatchObject({
      code: "untrusted",
    });
  });
});

describe("the cache on disk", () => {
  const path = join(directory, "deep", "er", "discovery.json");

  it("is private, whole, and free of leftovers", async () => {
    const cache = createDiscoveryCache(path);
    expect(await cache.load()).toBeUndefined();
    const cached = await found(byToken((await aCluster(aTestCa())).url));
    await cache.locked(() => cache.save(cached), { clock: systemClock });
    expect(await cache.load()).toEqual(cached);
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(statSync(join(directory, "deep")).mode & 0o777).toBe(0o700);
    expect(readdirSync(join(directory, "deep", "er"))).toEqual(["discovery.json"]);
    expect(readFileSync(path, "utf8")).not.toContain(TOKEN.secret);
  });

  it("is written by one at a time, and read by anybody", async () => {
    const cache = createDiscoveryCache(path);
    const order: string[] = [];
    const act = (name: string) => async () => {
      order.push(`${name} begins`);
      expect(await cache.load()).toBeDefined();
      await systemClock.sleep(30);
      order.push(`${name} ends`);
    };
    await Promise.all([
      cache.locked(act("one"), { clock: systemClock }),
      createDiscoveryCache(path).locked(act("two"), { clock: systemClock }),
    ]);
    const [first] = (order[0] ?? "").split(" ");
    expect(order.slice(0, 2)).toEqual([`${first} begins`, `${first} ends`]);
  });

  it("is not believed where others could have written it, and not written there", async () => {
    const shared = join(directory, "shared");
    mkdirSync(shared);
    const cached = await found(byToken((await aCluster(aTestCa("impostor"))).url));
    writeFileSync(join(shared, "discovery.json"), encodeCache(cached));
    chmodSync(shared, 0o1777);
    const cache = createDiscoveryCache(join(shared, "discovery.json"));
    const refused = { code: "bad-config", message: expect.stringContaining("can be written by others") };
    await expect(cache.load()).rejects.toMatchObject(refused);
    await expect(cache.save(cached)).rejects.toMatchObject(refused);
    await expect(cache.locked(async () => undefined, { clock: systemClock })).rejects.toMatchObject(refused);
  });

  it("says which file is damaged and what to do", async () => {
    writeFileSync(path, "{");
    await expect(createDiscoveryCache(path).load()).rejects.toThrow(/discovery\.json cannot be used: .*remove it/);
  });
});
