import { describe, expect, it } from "vitest";
import { defaultInterfaces, machineAddresses, servingNamesOf } from "./serving-names.ts";

describe("the names of a serving certificate", () => {
  const rows: Readonly<Record<string, [readonly [string, string][], object | undefined]>> = {
    "are host names and addresses, once and sorted": [
      [
        ["InternalIP", "192.0.2.2"],
        ["Hostname", "worker-1"],
        ["InternalDNS", "worker-1.internal"],
        ["InternalIP", "192.0.2.1"],
        ["ExternalIP", "192.0.2.2"],
      ],
      { dnsNames: ["worker-1", "worker-1.internal"], ipAddresses: ["192.0.2.1", "192.0.2.2"] },
    ],
    "count a host name that is an IP address as one": [
      [["Hostname", "192.0.2.7"]],
      { dnsNames: [], ipAddresses: ["192.0.2.7"] },
    ],
    "write IPv6 in its short form": [
      [["InternalIP", "2001:DB8:0:0::1"]],
      { dnsNames: [], ipAddresses: ["2001:db8::1"] },
    ],
    "leave out an IP field that is none, and empty ones": [
      [
        ["InternalIP", "192.0.2.1"],
        ["ExternalIP", "not-an-ip"],
        ["Hostname", ""],
      ],
      { dnsNames: [], ipAddresses: ["192.0.2.1"] },
    ],
    "are none without any IP address": [[["Hostname", "worker-1"]], undefined],
  };
  it.each(Object.entries(rows))("%s", (_, [addresses, names]) => {
    expect(servingNamesOf(addresses.map(([type, address]) => ({ type, address })))).toEqual(names);
  });

  it("come from interfaces that lead out of the machine, not from bridges of containers", () => {
    const v4 = "Iface\tDestination\tGateway\ncni0\t0000F40A\t00000000\neth0\t00000000\t0101A8C0\n";
    const v6 =
      "00000000000000000000000000000000 00 00000000000000000000000000000000 00 fe800000000000000000000000000001 00000400 00000001 00000000 00450003     eth1\n" +
      "00000000000000000000000000000000 00 00000000000000000000000000000000 00 00000000000000000000000000000000 ffffffff 00000001 00000000 00200200       lo\n";
    expect(defaultInterfaces(v4, v6)).toEqual(new Set(["eth0", "eth1"]));
    expect(defaultInterfaces("", "")).toEqual(new Set());
  });

  it("of this machine start with its host name and hold no loopback address", () => {
    const [first, ...rest] = machineAddresses();
    expect(first?.type).toBe("Hostname");
    expect(rest.filter(({ address }) => address.startsWith("127.") || address === "::1")).toEqual([]);
  });
});
