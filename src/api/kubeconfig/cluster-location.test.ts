import { describe, expect, it } from "vitest";
import { type ClusterLocationExtension, clusterLocationExtension, readClusterLocation } from "./cluster-location.ts";
import type { KubeconfigCluster } from "./types.ts";

const server = "https://a.example:6443";
const base64 = (text: string) => Buffer.from(text).toString("base64");
const withExtension = (location: ClusterLocationExtension): KubeconfigCluster => ({
  server,
  "certificate-authority-data": base64("own"),
  extensions: [{ name: "minikube", extension: { provider: "x" } }, clusterLocationExtension(location)],
});

describe("the location of a cluster", () => {
  it("is the entry's own address and CA without an extension, or with one of another owner or a later version", () => {
    const plain = { clusterId: undefined, servers: [server], rootsPem: [], trustSystemRoots: false };
    const later = { ...clusterLocationExtension({}), extension: { apiVersion: "countersign.dev/v9", servers: 1 } };
    for (const extensions of [undefined, [], [{ name: "x", extension: null }], [later]]) {
      expect(readClusterLocation({ server, ...(extensions === undefined ? {} : { extensions }) })).toEqual(plain);
    }
  });

  it("has sets of addresses and roots, the entry's own first unless they are listed in another order", () => {
    const servers = ["https://b.example:6443", "https://c.example:6443"];
    const location = { servers, certificateAuthorityData: [base64("next")], clusterId: "id-1", trustSystemRoots: true };
    expect(readClusterLocation(withExtension(location))).toEqual({
      clusterId: "id-1",
      servers: [server, ...servers],
      rootsPem: ["own", "next"],
      trustSystemRoots: true,
    });
    const ordered = [...servers, server, server];
    expect(readClusterLocation(withExtension({ servers: ordered })).servers).toEqual([...servers, server]);
  });

  const spoiled = (extension: object): KubeconfigCluster => ({
    server,
    extensions: [
      {
        name: "countersign.dev/cluster-location",
        extension: { apiVersion: "countersign.dev/v1alpha1", kind: "ClusterLocation", ...extension },
      },
    ],
  });
  const refused: Record<string, [KubeconfigCluster, string]> = {
    "an address that is not https": [spoiled({ servers: ["http://a"] }), "plain https URL"],
    "an address with a password": [spoiled({ servers: ["https://a:b@c"] }), "plain https URL"],
    "an address that is a number": [spoiled({ servers: [1] }), "list of texts"],
    "one text for a list": [spoiled({ servers: server }), "list of texts"],
    "too many roots": [spoiled({ certificateAuthorityData: Array.from({ length: 33 }, () => "") }), "more than 32"],
    "a root that is not base64": [spoiled({ certificateAuthorityData: ["%"] }), "not base64"],
    "an id with spaces": [spoiled({ clusterID: "a b" }), "clusterID"],
    "a choice that is a word": [spoiled({ trustSystemRoots: "yes" }), "trustSystemRoots"],
    "the extension twice": [
      { server, extensions: [clusterLocationExtension({}), clusterLocationExtension({})] },
      "there twice",
    ],
  };
  for (const [sentence, [cluster, words]] of Object.entries(refused)) {
    it(`is refused with ${sentence}`, () => expect(() => readClusterLocation(cluster)).toThrow(words));
  }
});
