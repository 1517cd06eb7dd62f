import { resolve } from "node:path";
import { describe, expect, it } from "vitest";
import type { Remembered } from "../../../node/index.ts";
import { readProvider } from "./provider.ts";

const KUBERNETES = "kubernetes.io/kube-apiserver-client-kubelet";
const TPM = "cluster.x-k8s.io/kube-apiserver-client-kubelet-tpm";
const INSECURE = "cluster.x-k8s.io/kube-apiserver-client-kubelet-insecure";
const remembered: Remembered = {
  provider: "tpm",
  signerName: TPM,
  providerId: "rack:///7",
  clusterId: "east",
  flags: { tpm: "swtpm:path=/s" },
};

describe("how a machine proves itself", () => {
  const rows: Record<string, [Record<string, string | boolean>, Remembered | undefined, object]> = {
    "nothing said: as a kubelet": [{}, undefined, { signerName: KUBERNETES, provider: { name: "insecure" } }],
    "a provider: its signer": [{ provider: "tpm" }, undefined, { signerName: TPM, provider: { name: "tpm" } }],
    "a signer of ours: its provider": [{ signerName: INSECURE }, undefined, { provider: { name: "insecure" } }],
    "what the join was told": [
      {},
      remembered,
      { signerName: TPM, providerId: "rack:///7", evidenceCluster: "east", providerFlags: { tpm: "swtpm:path=/s" } },
    ],
    "what is said now counts more": [
      { providerId: "rack:///8", tpm: "/dev/tpmrm1" },
      remembered,
      { signerName: TPM, providerId: "rack:///8", providerFlags: { tpm: "/dev/tpmrm1" } },
    ],
    "a simulator's socket that is named from here: its absolute path": [
      { provider: "tpm", tpm: "swtpm:path=tpm-a.sock" },
      undefined,
      { providerFlags: { tpm: `swtpm:path=${resolve("tpm-a.sock")}` } },
    ],
    "a simulator's port: as it is": [
      { provider: "tpm", tpm: "swtpm:host=127.0.0.1,port=2321" },
      undefined,
      { providerFlags: { tpm: "swtpm:host=127.0.0.1,port=2321" } },
    ],
    "a key that is to be sealed, and the plugin's switch for it": [
      { provider: "tpm", sealKey: true },
      undefined,
      { sealKeys: true, providerFlags: { "seal-key": "" } },
    ],
    "a key that the join had sealed": [
      {},
      { ...remembered, flags: { tpm: "swtpm:path=/s", "seal-key": "" } },
      { sealKeys: true, providerFlags: { tpm: "swtpm:path=/s", "seal-key": "" } },
    ],
    "nobody speaks of sealing": [{ provider: "tpm" }, remembered, { sealKeys: undefined }],
    "another provider than at the join: nothing of that counts": [
      { provider: "insecure" },
      remembered,
      { signerName: INSECURE, providerId: undefined, evidenceCluster: undefined, providerFlags: {} },
    ],
  };
  it.each(Object.entries(rows))("%s", async (_, [options, before, expected]) => {
    expect(await readProvider(options, before)).toMatchObject(expected);
  });

  const REFUSED: Record<string, [Record<string, string | boolean>, string]> = {
    "a sealed key without a TPM": [{ provider: "insecure", sealKey: true }, "--seal-key needs --provider tpm"],
    "a sealed key where Kubernetes' own signer asks for no proof": [
      { sealKey: true },
      "--seal-key needs --provider tpm",
    ],
    "a device that is not named absolutely": [{ provider: "tpm", tpm: "device:dev/tpm0" }, "TPM address must be"],
    "a provider whose package is not installed": [
      { provider: "tmp" },
      "provider package kubelet-authenticator-tmp is not installed",
    ],
    "what can be no package": [{ provider: "../evil" }, "is not the name of an npm package"],
    "a package that is no provider": [{ provider: "yaml" }, "package yaml exports no ./node; it is no provider"],
    "a TPM's address without a TPM": [{ tpm: "/dev/tpmrm0" }, "--tpm is for --provider tpm"],
    "settings without a package": [
      { provider: "tpm", providerSettings: "x" },
      "--provider-settings is for a provider package",
    ],
    "a recipient that is none": [{ provider: "tpm", evidenceRecipient: "x" }, "evidence recipient"],
  };
  it.each(Object.entries(REFUSED))("is refused with %s", async (_, [options, message]) => {
    await expect(readProvider(options)).rejects.toThrow(message);
  });
});
