// What a kubelet shows to those who connect to it.

import { connect } from "node:tls";

/**
 * The common name of the certificate on the port, if the CA vouches for it. The names in it are the node's, not
 * loopback's.
 */
export function subjectServedOn(port: number, ca: string): Promise<string | undefined> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host: "127.0.0.1", port, ca, checkServerIdentity: () => undefined }, () => {
      const { subject } = socket.getPeerCertificate();
      socket.destroy();
      resolve(String(subject.CN));
    });
    socket.on("error", reject);
  });
}
