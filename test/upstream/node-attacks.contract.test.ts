import { aClientCertificate } from "../builders/client-certificate.ts";
import { describeNodeAttacks } from "../contract/node-attacks.ts";
import { startControlPlane } from "./harness/index.ts";

describeNodeAttacks("a real kube-apiserver", async () => {
  const real = await startControlPlane({ keyAlgorithm: "ECDSA-P256" });
  const admin = aClientCertificate(real, { user: "root", groups: ["system:masters"] });
  return {
    server: { port: real.port, caPem: real.caPem, adminCertPem: admin.certPem, adminKeyPem: admin.keyPem },
    issueClientCertificate: (subject) => aClientCertificate(real, subject),
    close: () => real.stop(),
  };
});
