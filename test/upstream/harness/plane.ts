// A real control plane as the suites of test/contract want one.

import { loadKubeconfigClient } from "../../../src/platform/kube/index.ts";
import type { Plane } from "../../contract/controller-stage.ts";
import { startControlPlane } from "./control-plane.ts";

export async function startRealPlane(): Promise<Plane> {
  const controlPlane = await startControlPlane();
  const { url, caPem, caKeyPem, adminKubeconfigPath } = controlPlane;
  const admin = await loadKubeconfigClient(adminKubeconfigPath);
  const stop = async () => {
    await admin.close();
    await controlPlane.stop();
  };
  return { url, caPem, caKeyPem, admin, stop };
}
