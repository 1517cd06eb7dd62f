import { describe, expect, it } from "vitest";
import { helpText, parseFlags } from "./flags.ts";

const SIGNER = "example.com/signer";

describe("the plugin's flags", () => {
  it("need a node name and default the rest", () => {
    expect(parseFlags(["--node-name", "worker-1"], SIGNER)).toEqual({
      kind: "run",
      flags: {
        nodeName: "worker-1",
        certDirectory: "/var/lib/kubelet/pki",
        bootstrapKubeconfig: undefined,
        signerName: SIGNER,
        clientCaFile: undefined,
        timeoutMs: 280_000,
      },
    });
  });

  it("are read in both spellings", () => {
    const args = ["--node-name=a", "--cert-dir=/d", "--bootstrap-kubeconfig", "/b", "--signer-name=s", "--timeout=4m"];
    expect(parseFlags(args, SIGNER)).toMatchObject({
      flags: { nodeName: "a", certDirectory: "/d", bootstrapKubeconfig: "/b", signerName: "s", timeoutMs: 240_000 },
    });
  });

  it("may ask for help or the version and nothing else", () => {
    expect(parseFlags(["--help"], SIGNER)).toEqual({ kind: "help" });
    expect(parseFlags(["--version"], SIGNER)).toEqual({ kind: "version" });
    expect(helpText("the-program", SIGNER)).toContain(SIGNER);
  });

  const refused: Record<string, [string[], string]> = {
    "without a node name": [[], "--node-name is needed"],
    "with one that nobody knows": [["--node-name=a", "--nodename=b"], "nodename"],
    "with a word too many": [["--node-name=a", "b"], "b"],
    "with a timeout of nothing": [["--node-name=a", "--timeout=0s"], "between 1s and 290s"],
    "with a timeout beyond kubeadm's patience": [["--node-name=a", "--timeout=5m"], "between 1s and 290s"],
    "with a timeout without a unit": [["--node-name=a", "--timeout=90"], "between 1s and 290s"],
  };
  for (const [sentence, [args, message]] of Object.entries(refused)) {
    it(`are refused ${sentence}`, () => expect(() => parseFlags(args, SIGNER)).toThrow(message));
  }
});
