import { readFile } from "node:fs/promises";
import { describe, expect, it } from "vitest";
import config from "../../vitest.upstream.config.ts";
import { RELEASES, readModule } from "../upstream/assets/binaries.mjs";

const text = await readFile(new URL("../../README.md", import.meta.url), "utf8");
const versions = new Map(RELEASES.map((release) => [release, readModule(release).kubernetesVersion.slice(1)]));

/** What a project of the upstream tests sets, which is of the present release where nothing is set. */
function pairOf(project: { readonly test?: { readonly env?: Partial<NodeJS.ProcessEnv> } }) {
  const env = project.test?.env ?? {};
  const versionOf = (variable: string) => versions.get(RELEASES.find((known) => known === env[variable]) ?? "present");
  return [versionOf("COUNTERSIGN_KUBE_APISERVER"), versionOf("COUNTERSIGN_KUBELET")];
}

describe("the versions of Kubernetes in README.md", () => {
  it("are those of the Go modules, in the pairs that the projects of the upstream tests run", () => {
    const pairs = [...text.matchAll(/kube-apiserver ([\d.]+\d) with kubelet ([\d.]+\d)/g)].map(([, ...pair]) => pair);
    const projects = (config.test?.projects ?? []) as readonly Parameters<typeof pairOf>[0][];
    expect(pairs).toEqual(projects.map(pairOf));
    expect(pairs).toHaveLength(3);
  });

  it("are the only ones that it names", () => {
    const named = [...text.matchAll(/\b(?:Kubernetes|kube-apiserver|kubelet|kubectl|kubeadm) v?(1\.\d+(?:\.\d+)?)/g)];
    expect(new Set(named.map(([, version]) => version))).toEqual(new Set(versions.values()));
  });
});
