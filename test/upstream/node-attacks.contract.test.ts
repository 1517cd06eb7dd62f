import { aClientCertificate } from "../builders/client-certificate.ts";
import { describeNodeAttacks } from "../contract/node-attacks.ts";
import { asRoot } from "../fakes/api-client.ts";
import { startControlPlane } from "./harness/index.ts";

describeNodeAttacks("a real kube-apiserver", async () => {
  const real = await startControlPlane({ keyAlgorithm: "ECDSA-P256" });
  return {
    server: asRoot(real),
    issueClientCertificate: (subject) => aClientCertificate(real, subject),
    close: () => real.stop(),
  };
});
