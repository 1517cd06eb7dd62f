import { describe, expect, it } from "vitest";
import { CLUSTER_INFO_PATH, refuseDiscoveryRequest } from "./index.ts";

const PUBLIC = "/api/v1/namespaces/kube-public";
const refused = (method: string, target: string, headers: Record<string, string> = {}) =>
  refuseDiscoveryRequest({ method, target, headers });

it("a discovery JWT opens cluster-info", () => {
  expect(refused("GET", `${PUBLIC}/configmaps/cluster-info`)).toBeUndefined();
  expect(refused("GET", CLUSTER_INFO_PATH, { accept: "*/*" })).toBeUndefined();
});

describe("a discovery JWT does not open", () => {
  it.each<[string, string]>([
    ["POST", "/apis/certificates.k8s.io/v1/certificatesigningrequests"],
    ["POST", `${PUBLIC}/configmaps`],
    ["PUT", `${PUBLIC}/configmaps/cluster-info`],
    ["PATCH", `${PUBLIC}/configmaps/cluster-info`],
    ["DELETE", `${PUBLIC}/configmaps/cluster-info`],
    ["HEAD", `${PUBLIC}/configmaps/cluster-info`],
    ["get", `${PUBLIC}/configmaps/cluster-info`],
    ["GET", "/apis/certificates.k8s.io/v1/certificatesigningrequests"],
    ["GET", "/api/v1/namespaces/kube-system/secrets/x"],
    ["GET", "/api/v1/namespaces/kube-public"],
    ["GET", "/api/v1/namespaces/kube-public/"],
    ["GET", "/api/v1/namespaces/kube-public/status"],
    ["GET", "/api/v1/namespaces/kube-public/finalize"],
    ["GET", "/version"],
    ["GET", "/metrics"],
    ["GET", `${PUBLIC}/pods/x/exec`],
    ["GET", `${PUBLIC}/services/x/proxy/`],
    ["GET", `/api/v1/watch/namespaces/kube-public/configmaps`],
    ["GET", `${PUBLIC}/../kube-system/secrets`],
    ["GET", `${PUBLIC}/configmaps/..`],
    ["GET", `${PUBLIC}/configmaps/%2e%2e`],
    ["GET", `${PUBLIC}%2f..%2fkube-system/secrets`],
    ["GET", `/${PUBLIC}/configmaps/cluster-info`],
    ["GET", `https://elsewhere${PUBLIC}/configmaps/cluster-info`],
    ["GET", `${PUBLIC}/configmaps/cluster-info\n`],
    ["GET", `${PUBLIC}/configmaps/cluster-info#x`],
    ["GET", `${PUBLIC}/configmaps/cluster-info?`],
    ["GET", `${PUBLIC}/configmaps/cluster-info?timeout=10s`],
    ["GET", `${PUBLIC}/configmaps/cluster-info?resourceVersion=0`],
    ["GET", `${PUBLIC}/configmaps/cluster-info/`],
    ["GET", `${PUBLIC}/configmaps/Cluster-info`],
    ["GET", `${PUBLIC}/configmaps/other`],
    ["GET", `${PUBLIC}/configmaps`],
    ["GET", "/apis/example.com/v1beta1/namespaces/kube-public/widgets/one"],
    ["GET", "/apis/tenant.example/v1/namespaces/kube-public/configs/cluster-info"],
  ])("%s %s", (method, target) => {
    expect(refused(method, target)).toMatch(/only|no /);
  });

  it.each(["watch=true", "watch", "watch=false", "w%61tch=1"])("a watch, however it is spelled: %s", (query) => {
    expect(refused("GET", `${PUBLIC}/configmaps/cluster-info?${query}`)).toContain("without a query");
  });

  it("an upgrade", () => {
    expect(refused("GET", `${PUBLIC}/configmaps/cluster-info`, { upgrade: "h2c" })).toContain("upgraded");
  });

  it("acting as somebody else", () => {
    const headers = { accept: "*/*", "impersonate-extra-a": "b" };
    expect(refused("GET", `${PUBLIC}/configmaps/cluster-info`, headers)).toContain("no other user");
  });
});
