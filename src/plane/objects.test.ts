import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import type { ConfigMap } from "../api/core/index.ts";
import { clusterObjects } from "./kubeadm-objects.ts";
import { serviceObjects } from "./service-objects.ts";

const CLUSTER = { server: "https://10.0.0.1:6443", caPem: "CA" };

describe("what a joining machine reads", () => {
  const map = (name: string, more: object = {}) => {
    const wanted = clusterObjects({ ...CLUSTER, ...more }).find(({ object }) => object.metadata.name === name);
    return { data: (wanted?.object as ConfigMap | undefined)?.data ?? {}, isMadeOnce: wanted?.isMadeOnce ?? false };
  };

  it("says which Kubernetes this is and where it answers", () => {
    expect(parse(map("kubeadm-config").data["ClusterConfiguration"] ?? "")).toMatchObject({
      apiVersion: "kubeadm.k8s.io/v1beta4",
      kind: "ClusterConfiguration",
      kubernetesVersion: "v1.36.3",
      controlPlaneEndpoint: "10.0.0.1:6443",
    });
  });

  it("gives kubelets the usual configuration once, and the operator's whenever he says so", () => {
    const usual = map("kubelet-config");
    expect(parse(usual.data["kubelet"] ?? "")).toMatchObject({ rotateCertificates: true, cgroupDriver: "systemd" });
    expect(usual.isMadeOnce).toBe(true);
    const own = map("kubelet-config", { kubelet: { cgroupDriver: "cgroupfs", failSwapOn: false } });
    expect(parse(own.data["kubelet"] ?? "")).toMatchObject({ cgroupDriver: "cgroupfs", failSwapOn: false });
    expect(own.isMadeOnce).toBe(false);
  });
});

describe("Service default/kubernetes", () => {
  const kinds = (server: string) => serviceObjects({ server }).map(({ object }) => object.kind);

  it("leads to an address that others reach, and nowhere when there is none", () => {
    expect(kinds("https://10.0.0.1:6443")).toEqual(["Service", "Endpoints", "EndpointSlice"]);
    for (const server of ["https://127.0.0.1:6443", "https://[::1]:6443", "https://0.0.0.0:6443"]) {
      expect(kinds(server)).toEqual(["Service"]);
    }
  });
});
