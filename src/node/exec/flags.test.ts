import { describe, expect, it } from "vitest";
import { helpText, parseFlags } from "./flags.ts";

const SIGNER = "example.com/signer";
const PLUGIN = { program: "the-program", signerName: SIGNER };
const WITH_OWN = { ...PLUGIN, ownFlags: { "--tpm": { value: "ADDRESS", description: "where it is" } } };

describe("the plugin's flags", () => {
  it("need a node name and default the rest", () => {
    expect(parseFlags(["--node-name", "worker-1"], PLUGIN)).toEqual({
      kind: "run",
      flags: {
        nodeName: "worker-1",
        certDirectory: "/var/lib/kubelet/pki",
        bootstrapKubeconfig: undefined,
        signerName: SIGNER,
        clientCaFile: undefined,
        providerId: undefined,
        evidenceCluster: undefined,
        evidenceRecipient: undefined,
        own: new Map(),
        timeoutMs: 280_000,
        verbosity: 2,
      },
    });
  });

  it("take klog's verbosity, as Kubernetes' own programs do", () => {
    const read = (word: string) => parseFlags(["--node-name=a", word], PLUGIN);
    expect(read("--v=4")).toMatchObject({ flags: { verbosity: 4 } });
    expect(() => read("--v=loud")).toThrow("from 0 to 10");
  });

  it("are read in both spellings", () => {
    const args = ["--node-name=a", "--cert-dir=/d", "--bootstrap-kubeconfig", "/b", "--signer-name=s", "--timeout=4m"];
    expect(parseFlags(args, PLUGIN)).toMatchObject({
      flags: { nodeName: "a", certDirectory: "/d", bootstrapKubeconfig: "/b", signerName: "s", timeoutMs: 240_000 },
    });
  });

  it("may ask for help or the version and nothing else", () => {
    expect(parseFlags(["--help"], PLUGIN)).toEqual({ kind: "help" });
    expect(parseFlags(["--version"], PLUGIN)).toEqual({ kind: "version" });
    expect(helpText(PLUGIN)).toContain(SIGNER);
  });

  it("are those that the help names", () => {
    const named = helpText(WITH_OWN).match(/^ {2}(--[a-z-]+) [A-Z]+/gm) ?? [];
    expect(named.length).toBeGreaterThan(8);
    const args = named.map((line) => line.trim().split(" ")[0]).map((flag) => `${flag}=${flag === "--v" ? "2" : "1s"}`);
    expect(parseFlags(args, WITH_OWN)).toMatchObject({
      kind: "run",
      flags: { evidenceCluster: "1s", providerId: "1s" },
    });
  });

  it("include those of the provider, and of no other", () => {
    const args = ["--node-name=a", "--provider-id=p", "--evidence-cluster=c", "--tpm=swtpm:path=/s"];
    const flags = { providerId: "p", evidenceCluster: "c", own: new Map([["--tpm", "swtpm:path=/s"]]) };
    expect(parseFlags(args, WITH_OWN)).toMatchObject({ flags });
    expect(() => parseFlags(args, PLUGIN)).toThrow("--tpm");
    expect(helpText(WITH_OWN)).toMatch(/^ {2}--tpm ADDRESS {15,}where it is$/m);
  });

  it("may be switches of the provider, which take no value", () => {
    const plugin = { ...PLUGIN, ownFlags: { "--seal-key": { description: "keeps it shut" } } };
    const flags = { nodeName: "a", own: new Map([["--seal-key", ""]]) };
    expect(parseFlags(["--seal-key", "--node-name", "a"], plugin)).toMatchObject({ flags });
    expect(() => parseFlags(["--node-name=a", "--seal-key=no"], plugin)).toThrow('"--seal-key=no" is unknown');
    expect(helpText(plugin)).toMatch(/^ {2}--seal-key {19}keeps it shut$/m);
  });

  const refused: Record<string, [string[], string]> = {
    "without a node name": [[], "--node-name is missing"],
    "with one that nobody knows": [["--node-name=a", "--nodename=b"], "nodename"],
    "with a word too many": [["--node-name=a", "b"], "b"],
    "with a timeout of nothing": [["--node-name=a", "--timeout=0s"], "at least 1s"],
    "with a timeout beyond kubeadm's patience": [["--node-name=a", "--timeout=5m"], "at most 290s"],
    "with a timeout without a unit": [["--node-name=a", "--timeout=90"], "a duration such as"],
  };
  for (const [sentence, [args, message]] of Object.entries(refused)) {
    it(`are refused ${sentence}`, () => expect(() => parseFlags(args, PLUGIN)).toThrow(message));
  }
});
