// Our definitions, and the Machines of others, on a real kube-apiserver: the same suite that the embedded one passes.

import { loadKubeconfigClient } from "../../src/platform/kube/index.ts";
import { describeDefinitions } from "../contract/definitions.ts";
import { startControlPlane } from "./harness/index.ts";

describeDefinitions("a real kube-apiserver", async () => {
  const controlPlane = await startControlPlane();
  const { url, caPem, caKeyPem, adminKubeconfigPath } = controlPlane;
  const admin = await loadKubeconfigClient(adminKubeconfigPath);
  const stop = async () => {
    await admin.close();
    await controlPlane.stop();
  };
  return { url, caPem, caKeyPem, admin, stop };
});
