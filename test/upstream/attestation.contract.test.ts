// Attestation on a real kube-apiserver: the same suite that the embedded one passes.

import { loadKubeconfigClient } from "../../src/platform/kube/index.ts";
import { describeAttestation } from "../contract/attestation.ts";
import { startControlPlane } from "./harness/index.ts";

describeAttestation("a real kube-apiserver", async () => {
  const controlPlane = await startControlPlane();
  const { url, caPem, caKeyPem, adminKubeconfigPath } = controlPlane;
  const admin = await loadKubeconfigClient(adminKubeconfigPath);
  const stop = async () => {
    await admin.close();
    await controlPlane.stop();
  };
  return { url, caPem, caKeyPem, admin, stop };
});
