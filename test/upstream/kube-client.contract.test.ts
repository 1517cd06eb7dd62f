// The client's contract on a real kube-apiserver: the same suite that the embedded one passes.

import { loadKubeconfigConnection } from "../../src/platform/kube/index.ts";
import { kubeClientContract } from "../contract/kube-client.ts";
import { startControlPlane } from "./harness/index.ts";

kubeClientContract("a real kube-apiserver", async () => {
  const controlPlane = await startControlPlane();
  // A server remembers changes back to its own start: after this one, the first versions are forgotten.
  await controlPlane.restartApiServer();
  return {
    admin: await loadKubeconfigConnection(controlPlane.adminKubeconfigPath),
    tooOldResourceVersion: async () => "1",
    close: () => controlPlane.stop(),
  };
});
