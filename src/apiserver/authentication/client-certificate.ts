// Client certificates: every request is judged by the current CA bundle and time (api/access has the rules). The
// verdict on a good chain is remembered with its connection until its first certificate expires or the bundle changes:
// verifying the signatures again would cost more than the rest of a small request.

import { type CertificateVerdict, judgeClientCertificate } from "../../api/access/index.ts";
import { Fault, isFault } from "../../kernel/outcome/index.ts";
import { type Certificate, parseCertificates } from "../../kernel/x509/index.ts";
import type { Authenticator, Credentials } from "./authenticator.ts";

interface ClientCertificateOptions {
  /** The current CA bundle; the same list as long as the bundle is the same. */
  readonly roots: () => readonly Certificate[];
}

interface Remembered {
  readonly verdict: Extract<CertificateVerdict, { kind: "user" }>;
  readonly roots: readonly Certificate[];
  /** After the clock was set back, verdicts from later times do not count. */
  readonly sinceMs: number;
}

export function createClientCertificateAuthenticator(options: ClientCertificateOptions): Authenticator {
  /** By the list that the listener hands out: the same for all requests of a connection, and collected with it. */
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

// The CA certificates whose clients are accepted, exchangeable while the server runs. The next request of an open
// connection is judged by the new ones, so a removed CA loses its clients at once.

export interface ClientCa {
  /** The current certificates. */
  roots(): readonly Certificate[];
  /** One or more bundles. Fault `bad-config`, and no change, when one is empty or does not parse. */
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
