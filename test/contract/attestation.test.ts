// Attestation on the embedded control plane; test/upstream runs the same suite on a real one.

import { createKubeClient } from "../../src/platform/kube/index.ts";
import { startTestApiServer } from "../fakes/api-server.ts";
import { describeAttestation } from "./attestation.ts";

describeAttestation("the embedded API server", async () => {
  const { url, caPem, caKeyPem, adminCertPem, adminKeyPem, close } = await startTestApiServer();
  const credentials = () => ({ certPem: adminCertPem, keyPem: adminKeyPem });
  const admin = createKubeClient({ server: url, caPem, credentials });
  const stop = async () => {
    await admin.close();
    await close();
  };
  return { url, caPem, caKeyPem, admin, stop };
});
