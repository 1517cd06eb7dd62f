// Client certificates: every request is judged by the CA bundle and the time of that moment (api/access says how). What a good
// chain means is remembered with its connection until its first certificate ends or the bundle changes: verifying the
// signatures anew would cost more than all the rest of a small request.

import { type CertificateVerdict, judgeClientCertificate } from "../../api/access/index.ts";
import type { Certificate } from "../../kernel/x509/index.ts";
import type { Authenticator, Credentials } from "./authenticator.ts";

export interface ClientCertificateOptions {
  /** The CA bundle of this moment; the same list for as long as it is the same bundle. */
  readonly roots: () => readonly Certificate[];
}

interface Remembered {
  readonly verdict: Extract<CertificateVerdict, { kind: "user" }>;
  readonly roots: readonly Certificate[];
  /** A clock that is set back makes what was judged later unknown again. */
  readonly sinceMs: number;
}

export function createClientCertificateAuthenticator(options: ClientCertificateOptions): Authenticator {
  /** By the list that the listener hands out: the same for all requests of a connection, and gone with it. */
  const known = new WeakMap<Credentials["peerCertificates"], Remembered>();
  return {
    name: "client-certificate",
    authenticate: ({ peerCertificates: ders }, nowMs) => {
      const roots = options.roots();
      const before = known.get(ders);
      if (before?.roots === roots && before.sinceMs <= nowMs && nowMs < before.verdict.untilMs) return before.verdict;
      const verdict = judgeClientCertificate({ ders, roots, nowMs });
      if (verdict.kind === "user") known.set(ders, { verdict, roots, sinceMs: nowMs });
      else known.delete(ders);
      return verdict;
    },
  };
}
