// Client certificates: every request is judged by the CA bundle and the time of that moment (api/access says how). What a good
// chain means is remembered with its connection until its first certificate ends or the bundle changes: verifying the
// signatures anew would cost more than all the rest of a small request.

import { type CertificateVerdict, judgeClientCertificate } from "../../api/access/index.ts";
import { Fault, isFault } from "../../kernel/outcome/index.ts";
import { type Certificate, parseCertificates } from "../../kernel/x509/index.ts";
import type { Authenticator, Credentials } from "./authenticator.ts";

interface ClientCertificateOptions {
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

// The CA certificates whose clients are believed, exchangeable while the server runs. The next request of an open connection
// is judged by the new ones: what a removed CA vouched for ends at once.

export interface ClientCa {
  /** The certificates of this moment. */
  roots(): readonly Certificate[];
  /** One or more bundles. Fault `bad-config` when one is empty or does not parse; what was in force stays in force then. */
  use(bundles: readonly string[]): void;
}

export function createClientCa(bundles: readonly string[]): ClientCa {
  let roots = parseAll(bundles);
  return {
    roots: () => roots,
    use: (next) => {
      roots = parseAll(next);
    },
  };
}

function parseAll(bundles: readonly string[]): readonly Certificate[] {
  const roots = bundles.flatMap((pem) => {
    const found = parse(pem);
    if (found.length === 0) throw new Fault("bad-config", "the client CA bundle holds no certificate");
    return found;
  });
  if (roots.length === 0) throw new Fault("bad-config", "there is no client CA bundle");
  return roots;
}

function parse(pem: string): readonly Certificate[] {
  try {
    return parseCertificates(pem);
  } catch (cause) {
    if (!isFault(cause)) throw cause;
    throw new Fault("bad-config", "the client CA bundle holds something that is no certificate", { cause });
  }
}
