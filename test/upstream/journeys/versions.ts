// Proof that a suite ran on the versions that it was given: what the two programs say of themselves.

import { expect } from "vitest";
import { readModule } from "../assets/binaries.mjs";
import { binaryOf, type ControlPlane } from "../harness/index.ts";

export async function expectVersions(plane: ControlPlane, nodeName: string): Promise<void> {
  const { stdout: server } = await plane.kubectl(["get", "--raw", "/version"]);
  expect(JSON.parse(server)).toMatchObject({ gitVersion: versionOf("kube-apiserver") });
  const path = "jsonpath={.status.nodeInfo.kubeletVersion}";
  const { stdout: kubelet } = await plane.kubectl(["get", "node", nodeName, "-o", path]);
  expect(kubelet).toEqual(versionOf("kubelet"));
}

function versionOf(name: "kube-apiserver" | "kubelet"): string {
  const { release, from } = binaryOf(name);
  // $KUBEBUILDER_ASSETS may hold another version.
  return from === "cache" ? readModule(release).kubernetesVersion : expect.stringMatching(/^v1\./);
}
