// The CA certificates whose clients are believed, exchangeable while the server runs. The next request of an open connection
// is judged by the new ones: what a removed CA vouched for ends at once.

import { Fault, isFault } from "../../kernel/outcome/index.ts";
import { type Certificate, parseCertificates } from "../../kernel/x509/index.ts";

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
