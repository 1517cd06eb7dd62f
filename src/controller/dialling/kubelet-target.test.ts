import { describe, expect, it } from "vitest";
import { type Neighbourhood, whyNotDialled } from "./kubelet-target.ts";

const near: Neighbourhood = {
  apiServer: { service: new Set(["10.96.0.1"]), hosts: new Set(["192.0.2.10", "2001:db8::10"]) },
  own: ["10.244.0.7", "fd00::7"],
  isControlPlane: false,
};

describe("the kubelet that a Node says it has is dialled", () => {
  it.each([
    ["10.0.0.3", 10_250],
    ["192.0.2.11", 10_255],
    ["2001:db8::3", 10_250],
    ["fd00::3", 10_250],
  ])("at %s port %d", (host, port) => {
    expect(whyNotDialled({ host, port }, near)).toBeUndefined();
  });

  it.each([
    ["127.0.0.1", "a loopback"],
    ["127.8.8.8", "a loopback"],
    ["::1", "a loopback"],
    ["169.254.169.254", "a link-local"],
    ["fe80::1", "a link-local"],
    ["febf::1", "a link-local"],
    ["0.0.0.0", "no address of a machine"],
    ["224.0.0.1", "no address of a machine"],
    ["255.255.255.255", "no address of a machine"],
    ["::", "no address of a machine"],
    ["::7f00:1", "no address of a machine"],
    ["ff02::1", "no address of a machine"],
    ["10.96.0.1", "the API server's Service"],
    ["192.0.2.10", "the API server's"],
    ["2001:db8::10", "the API server's"],
    ["10.244.0.7", "the controller's own"],
    ["fd00::7", "the controller's own"],
  ])("not at %s", (host, why) => {
    expect(whyNotDialled({ host, port: 10_250 }, near)).toContain(why);
  });

  it.each([0, 22, 443, 2_379, 6_443, 10_249, 10_256, 10_257, 10_259, 65_536, Number.NaN])("not at port %d", (port) => {
    expect(whyNotDialled({ host: "10.0.0.3", port }, near)).toContain("is none of a kubelet's");
  });

  it("at the API server's and the controller's address where the Node is one of the control plane, and nowhere else there", () => {
    const labelled = { ...near, isControlPlane: true };
    const port = 10_250;
    for (const host of ["192.0.2.10", "10.244.0.7"]) expect(whyNotDialled({ host, port }, labelled)).toBeUndefined();
    for (const host of ["127.0.0.1", "169.254.169.254", "10.96.0.1"])
      expect(whyNotDialled({ host, port }, labelled)).toBeDefined();
    expect(whyNotDialled({ host: "192.0.2.10", port: 6_443 }, labelled)).toBeDefined();
  });
});
