// The embedded control plane as the suites of this folder want one.

import { createKubeClient } from "../../src/platform/kube/index.ts";
import { startTestApiServer } from "../fakes/api-server.ts";
import type { Plane } from "./controller-stage.ts";

export async function startEmbeddedPlane(): Promise<Plane> {
  const { url, caPem, caKeyPem, adminCertPem, adminKeyPem, close } = await startTestApiServer();
  const credentials = () => ({ certPem: adminCertPem, keyPem: adminKeyPem });
  const admin = createKubeClient({ server: url, caPem, credentials });
  const stop = async () => {
    await admin.close();
    await close();
  };
  return { url, caPem, caKeyPem, admin, stop };
}
