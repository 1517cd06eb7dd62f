import { describe, expect, it } from "vitest";
import { type BootFacts, type FoundPair, planBoot } from "./plan.ts";

const nowMs = 1_767_225_600_000;
const commonName = "system:node:worker-1";
const good: FoundPair = { kind: "present", commonName, notAfterMs: nowMs + 1 };
const expired: FoundPair = { kind: "present", commonName, notAfterMs: nowMs };
const foreign: FoundPair = { kind: "present", commonName: "bootstrapper", notAfterMs: nowMs + 1 };
const absent: FoundPair = { kind: "absent" };
const damaged: FoundPair = { kind: "damaged", why: "the pair holds no certificate" };
const kubeconfig = (inData: FoundPair, inFiles: FoundPair, hasToken = false): BootFacts["kubeconfig"] => ({
  kind: "read",
  inData,
  inFiles,
  hasToken,
});
const nothing: BootFacts = {
  commonName,
  nowMs,
  store: absent,
  oldFiles: absent,
  kubeconfig: { kind: "absent" },
  hasBootstrapKubeconfig: false,
};

describe("the boot sequence", () => {
  const PLANS: Readonly<Record<string, [Partial<BootFacts>, object]>> = {
    "takes the store's pair first": [
      { store: good, oldFiles: good, kubeconfig: kubeconfig(good, good), hasBootstrapKubeconfig: true },
      { kind: "use", source: "store", renewAtOnce: false },
    ],
    "then kubelet's older files": [{ oldFiles: good }, { kind: "use", source: "old-files", renewAtOnce: false }],
    "then the kubeconfig's data, which it renews at once": [
      { store: expired, kubeconfig: kubeconfig(good, good) },
      { kind: "use", source: "kubeconfig-data", renewAtOnce: true },
    ],
    "then the files that the kubeconfig names": [
      { store: damaged, kubeconfig: kubeconfig(absent, good) },
      { kind: "use", source: "kubeconfig-files", renewAtOnce: false },
    ],
    "then bootstraps": [
      { store: expired, kubeconfig: kubeconfig(absent, expired), hasBootstrapKubeconfig: true },
      { kind: "bootstrap", with: "bootstrap-kubeconfig" },
    ],
    "does not take another node's pair": [
      { store: foreign, hasBootstrapKubeconfig: true },
      { kind: "bootstrap", with: "bootstrap-kubeconfig", why: expect.stringContaining('is of "bootstrapper"') },
    ],
    "bootstraps with a kubeconfig that holds a token": [
      { kubeconfig: kubeconfig(absent, absent, true) },
      { kind: "bootstrap", with: "kubeconfig" },
    ],
    "bootstraps with a kubeconfig that holds a bootstrap certificate": [
      { kubeconfig: kubeconfig(foreign, absent) },
      { kind: "bootstrap", with: "kubeconfig" },
    ],
    "prefers the bootstrap kubeconfig to both": [
      { kubeconfig: kubeconfig(foreign, absent, true), hasBootstrapKubeconfig: true },
      { kind: "bootstrap", with: "bootstrap-kubeconfig" },
    ],
    "stops with nothing to start with, and says what it looked at": [
      { store: expired, kubeconfig: { kind: "unusable", why: "kubeconfig is not YAML" } },
      {
        kind: "stop",
        why: expect.stringMatching(/store's pair expired at 2026-01-01.*unusable \(kubeconfig is not YAML\)/),
      },
    ],
    "stops without even a kubeconfig": [{}, { kind: "stop", why: expect.stringContaining("there is no kubeconfig") }],
  };

  it.each(Object.entries(PLANS))("%s", (_, [facts, plan]) => {
    expect(planBoot({ ...nothing, ...facts })).toMatchObject(plan);
  });
});
