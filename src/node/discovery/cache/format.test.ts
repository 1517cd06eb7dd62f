import { describe, expect, it } from "vitest";
import { aDocument, CLUSTER_ID, TOKEN } from "../../../../test/builders/discovery.ts";
import { aNodeCa } from "../../../../test/builders/node-ca.ts";
import { START_MS } from "../../../../test/fakes/clock.ts";
import type { DiscoveredCluster } from "../cluster.ts";
import { judgeDocument } from "../document/judge.ts";
import { type CachedDiscovery, encodeCache, parseCache, wayOf } from "./format.ts";

const ca = aNodeCa();
const server = "https://a.example:6443";
const text = aDocument({
  server,
  caPem: ca.certPem,
  servers: [server, "https://b.example:6443"],
  clusterId: CLUSTER_ID,
});
const verdict = judgeDocument({ text, what: "it", caPins: [] });
const cluster: DiscoveredCluster = verdict.kind === "Allow" ? verdict.cluster : expect.fail("the document is good");
const way = wayOf({ kind: "token", addresses: [server], token: TOKEN, caPins: [`sha256:${"0a".repeat(32)}`] });
const cached: CachedDiscovery = { cluster, way, foundMs: START_MS, confirmedMs: START_MS + 1_000 };

describe("the cache's file", () => {
  it("gives back what was put in, for every way", () => {
    const ways = [
      way,
      wayOf({ kind: "file", path: "/a.yaml", withCredentials: true, caPins: [] }),
      wayOf({ kind: "url", url: "https://a.example/x", headerFile: "h", withCredentials: false, caPins: [] }),
      wayOf({ kind: "url", url: "https://a.example/x", withCredentials: false, caPins: [] }),
    ];
    for (const each of ways)
      expect(parseCache(encodeCache({ ...cached, way: each }))).toEqual({ ...cached, way: each });
  });

  it("holds neither the token, nor an identity, nor this machine's roots", () => {
    const rich = {
      ...cluster,
      user: { "client-key-data": "a2V5" },
      usesSystemRoots: true,
      caPem: `${ca.certPem}machine`,
    };
    const encoded = encodeCache({ ...cached, cluster: rich });
    for (const secret of [TOKEN.secret, "a2V5", "machine"]) expect(encoded).not.toContain(secret);
  });

  const spoil = (change: (value: { cluster: object; way: object }) => void) => {
    const value = JSON.parse(encodeCache(cached)) as { cluster: object; way: object };
    change(value);
    return JSON.stringify(value);
  };
  const refused: Record<string, string> = {
    "is cut short": encodeCache(cached).slice(0, 100),
    "is a list": "[]",
    "is of a later version": spoil((value) => Object.assign(value, { apiVersion: "countersign.dev/v9" })),
    "has no cluster": spoil((value) => Object.assign(value, { cluster: null })),
    "has an address that is not https": spoil((value) => Object.assign(value.cluster, { server: "http://a" })),
    "has a number among its addresses": spoil((value) => Object.assign(value.cluster, { servers: [1] })),
    "has no end of addresses": spoil((value) =>
      Object.assign(value.cluster, { servers: Array.from({ length: 65 }, () => server) }),
    ),
    "trusts nobody": spoil((value) => Object.assign(value.cluster, { roots: "" })),
    "has a cluster id of another form": spoil((value) => Object.assign(value.cluster, { clusterID: "a b" })),
    "knows no way": spoil((value) => Object.assign(value.way, { kind: "hearsay" })),
    "has a time that is none": spoil((value) => Object.assign(value, { found: "yesterday" })),
    "is longer than any honest one": " ".repeat(1_100_000),
  };
  for (const [sentence, content] of Object.entries(refused)) {
    it(`is refused when it ${sentence}`, () => expect(() => parseCache(content)).toThrow(/^discovery cache /));
  }
});
