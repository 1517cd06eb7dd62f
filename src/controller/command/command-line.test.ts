import { describe, expect, it } from "vitest";
import { LEASE_TIMING } from "../../platform/kube/index.ts";
import { CONTROLLER_NAMES } from "../compose.ts";
import { FLAG_NAMES, HELP, parseCommandLine } from "./command-line.ts";

const CA = ["--ca-cert", "ca.crt", "--ca-key", "ca.key"];

describe("the command line", () => {
  it("needs a CA and nothing else; the insecure signer is off", () => {
    expect(parseCommandLine(CA)).toEqual({
      caCert: "ca.crt",
      caKey: "ca.key",
      isCaFromCluster: false,
      kubeconfig: undefined,
      managementKubeconfig: undefined,
      cluster: undefined,
      evidenceClusters: [],
      ca: { kind: "Files", certFile: "ca.crt", keyFile: "ca.key" },
      controllers: CONTROLLER_NAMES,
      signers: undefined,
      allowInsecure: false,
      isTrustedElsewhere: false,
      providerPackages: [],
      endorsementKeySources: [],
      disabledRules: [],
      lifetimeMs: undefined,
      clusterInfoServers: [],
      clusterInfo: undefined,
      leaderElect: "true",
      election: { namespace: "countersign-system", name: "node-attestation-controller", timing: LEASE_TIMING },
      namespace: "countersign-system",
      statusAddress: undefined,
      auditLog: "-",
      logLevel: "info",
      warnings: [],
    });
  });

  it("takes the CA from a Secret, other loops, signers, times and places", () => {
    const line = parseCommandLine([
      "--ca-secret=kube-system/ca",
      "--controllers=*,-cleaning",
      "--signers=example.com/a, example.com/b",
      "--leader-elect-lease-duration=30s",
      "--leader-elect-renew-deadline=20s",
      "--leader-elect-retry-period=500ms",
      "--namespace=ours",
      "--status-address=[::1]:8081",
      "--audit-log=/var/log/audit",
    ]);
    expect(line).toMatchObject({
      ca: { kind: "Secret", namespace: "kube-system", name: "ca" },
      controllers: CONTROLLER_NAMES.filter((name) => name !== "cleaning"),
      signers: ["example.com/a", "example.com/b"],
      election: { namespace: "ours", timing: { durationMs: 30_000, renewMs: 20_000, retryMs: 500 } },
      statusAddress: { host: "::1", port: 8081 },
      auditLog: "/var/log/audit",
    });
  });

  it("takes the CA of the cluster that it is told to be, on another cluster than the requests", () => {
    const line = parseCommandLine([
      ...["--ca-from-cluster", "--management-kubeconfig=m.conf", "--cluster-name=fleet/east"],
      ...["--evidence-cluster=one", "--evidence-cluster=two", "--endorsement-key-source=vcenter=v.json"],
    ]);
    expect(line).toMatchObject({
      managementKubeconfig: "m.conf",
      cluster: { namespace: "fleet", name: "east" },
      ca: { kind: "Cluster", namespace: "fleet", name: "east" },
      evidenceClusters: ["one", "two"],
      endorsementKeySources: ["vcenter=v.json"],
    });
    expect(parseCommandLine([...CA, "--cluster-name=east"])).toMatchObject({ cluster: { name: "east" } });
  });

  it("takes --cluster-id for --evidence-cluster, and warns", () => {
    expect(parseCommandLine([...CA, "--cluster-id=one", "--cluster-id=two"])).toMatchObject({
      evidenceClusters: ["one", "two"],
      warnings: ["--cluster-id is now --evidence-cluster; the old name will go"],
    });
    expect(() => parseCommandLine([...CA, "--cluster-id="])).toThrow(expect.objectContaining({ code: "bad-config" }));
  });

  it.each<[string, string[], string[]]>([
    ["names", ["--controllers=signing,approving"], ["approving", "signing"]],
    [
      "all but one, wherever it stands",
      ["--controllers=-signing,*"],
      CONTROLLER_NAMES.filter((name) => name !== "signing"),
    ],
  ])("chooses loops by %s", (_, args, names) => {
    expect(parseCommandLine([...CA, ...args])).toMatchObject({ controllers: names });
  });

  it("runs without a lease where it is told to, and listens everywhere where no host is named", () => {
    const line = parseCommandLine([...CA, "--leader-elect=false", "--status-address=:8081"]);
    expect(line).toMatchObject({ election: undefined, statusAddress: { host: "0.0.0.0", port: 8081 } });
  });

  it("takes all its flags", () => {
    const flags = ["--kubeconfig", "k", "--allow-insecure", "--certificate-lifetime", "24h", "--log-level=debug"];
    expect(parseCommandLine([...CA, ...flags])).toMatchObject({
      kubeconfig: "k",
      allowInsecure: true,
      lifetimeMs: 86_400_000,
      logLevel: "debug",
    });
  });

  it("switches off stricter rules, and no others", () => {
    const off = [...CA, "--disable-rules", "node-name-is-valid,key-is-strong-enough"];
    expect(parseCommandLine(off)).toMatchObject({ disabledRules: ["node-name-is-valid", "key-is-strong-enough"] });
    expect(() => parseCommandLine([...CA, "--disable-rules", "signer-is-served"])).toThrow(/cannot be switched off/);
  });

  it.each(["--help", "-h"])("explains itself with %s, every flag of it", (flag) => {
    expect(parseCommandLine([flag])).toBe("help");
    for (const name of FLAG_NAMES) expect(HELP).toContain(`--${name}`);
  });

  it("says which signers it serves where nobody names them", () => {
    const words = HELP.replace(/\s+/g, " ");
    expect(words).toContain("the two of the TPM provider and of each --provider-package");
    expect(words).toContain("--allow-insecure without --signers: also serve");
  });

  it.each<[string, string[]]>([
    ["no CA", []],
    ["no key", ["--ca-cert", "ca.crt"]],
    ["an unknown flag", [...CA, "--force"]],
    ["a word that belongs to no flag", [...CA, "now"]],
    ["a life that is too short", [...CA, "--certificate-lifetime", "9m"]],
    ["a life without a unit", [...CA, "--certificate-lifetime", "86400"]],
    ["an unknown log level", [...CA, "--log-level", "loud"]],
    ["two places for the CA", [...CA, "--ca-secret", "a/b"]],
    ["a Secret without a namespace", ["--ca-secret", "b"]],
    ["a second place for the CA", [...CA, "--ca-from-cluster", "--cluster-name", "a/b"]],
    ["the CA of a cluster that nobody named", ["--ca-from-cluster"]],
    ["the CA of a cluster of some namespace", ["--ca-from-cluster", "--cluster-name", "east"]],
    ["Machines of any cluster of a management cluster", [...CA, "--management-kubeconfig", "m"]],
    ["a cluster's name that is none", [...CA, "--cluster-name", "East"]],
    ["an id of the cluster that is nothing", [...CA, "--evidence-cluster="]],
    ["an id of the cluster that is a sentence", [...CA, "--evidence-cluster", "east of here"]],
    ["a cluster's name in three parts", [...CA, "--cluster-name", "a/b/c"]],
    ["an unknown loop", [...CA, "--controllers", "judging"]],
    ["no loop at all", [...CA, "--controllers", "signing,-signing"]],
    ["a lease that is over before its renewal is", [...CA, "--leader-elect-lease-duration", "10s"]],
    ["an election that is neither on nor off", [...CA, "--leader-elect=maybe"]],
    ["an address without a port", [...CA, "--status-address", "localhost"]],
  ])("refuses %s", (_, args) => {
    expect(() => parseCommandLine(args)).toThrow(expect.objectContaining({ code: "bad-config" }));
  });
});
