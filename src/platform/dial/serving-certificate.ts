// The certificate that a server presents, after a TLS handshake that verified it against a CA and the address that was
// dialled. No request is made and no certificate of ours is shown.

import { connect } from "node:tls";
import { Fault } from "../../kernel/outcome/index.ts";
import { onAbort } from "../signals/index.ts";

interface ServingAddress {
  /** An IP address; the certificate must name it. */
  readonly host: string;
  readonly port: number;
  readonly caPem: string;
  readonly timeoutMs: number;
}

/** DER of the leaf. Fault `untrusted` when it does not verify, `unavailable` or `timeout` without an answer. */
export function fetchServingCertificate(address: ServingAddress, signal: AbortSignal): Promise<Uint8Array> {
  const { host, port, caPem, timeoutMs } = address;
  if (signal.aborted) return Promise.reject(new Fault("aborted", `stopped before dialling ${host}`));
  return new Promise((resolve, reject) => {
    const socket = connect({ host, port, ca: caPem, minVersion: "TLSv1.2" });
    const end = (act: () => void) => {
      leave();
      socket.destroy();
      act();
    };
    const leave = onAbort(signal, () => end(() => reject(new Fault("aborted", `stopped while dialling ${host}`))));
    socket.setTimeout(timeoutMs, () =>
      end(() => reject(new Fault("timeout", `${host} did not answer in ${timeoutMs} ms`))),
    );
    socket.on("error", (cause) => {
      const code = isTrustError(cause) ? "untrusted" : "unavailable";
      end(() => reject(new Fault(code, `cannot see the certificate of ${host}: ${cause.message}`, { cause })));
    });
    socket.on("secureConnect", () => {
      const { raw } = socket.getPeerCertificate();
      end(() => resolve(Uint8Array.from(raw)));
    });
  });
}

/** What OpenSSL and Node say about certificates that do not verify. */
function isTrustError(cause: Error & { readonly code?: string }): boolean {
  return /CERT|SIGNED|ISSUER|ALTNAME|VERIFY/.test(cause.code ?? "");
}
