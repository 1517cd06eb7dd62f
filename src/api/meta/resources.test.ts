import { describe, expect, it } from "vitest";
import { CONFIG_MAPS, CSRS, NODES, qualifiedName, resourcePath } from "./resources.ts";

describe("resourcePath", () => {
  const paths: Record<string, [string, string]> = {
    "a core collection": [resourcePath(NODES), "/api/v1/nodes"],
    "an object of a group with a subresource": [
      resourcePath(CSRS, { name: "node-csr-a_B", subresource: "approval" }),
      "/apis/certificates.k8s.io/v1/certificatesigningrequests/node-csr-a_B/approval",
    ],
    "a namespaced object": [
      resourcePath(CONFIG_MAPS, { namespace: "kube-public", name: "cluster-info" }),
      "/api/v1/namespaces/kube-public/configmaps/cluster-info",
    ],
    "all namespaces": [resourcePath(CONFIG_MAPS), "/api/v1/configmaps"],
    "a name that tries to leave its segment": [
      resourcePath(NODES, { name: "../secrets" }),
      "/api/v1/nodes/..%2Fsecrets",
    ],
  };
  for (const [name, [got, want]] of Object.entries(paths)) {
    it(`gives ${name}`, () => expect(got).toBe(want));
  }
});

describe("qualifiedName", () => {
  it("adds the group only where there is one", () => {
    expect([qualifiedName(NODES), qualifiedName(CSRS)]).toEqual([
      "nodes",
      "certificatesigningrequests.certificates.k8s.io",
    ]);
  });
});
