// What discovery needs from its surroundings.

import type { Waiting } from "./wait.ts";

export interface DiscoverDeps extends Waiting {
  /** For SSL_CERT_FILE and SSL_CERT_DIR, which say where this machine's roots are; HTTPS_PROXY and NO_PROXY. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The whole of standard input, for the file `-`. */
  readonly readStdin?: (() => Promise<string>) | undefined;
  /** A document was read and its signature holds; the server is not proved yet. May be called again after a pause. */
  readonly onDiscovered?: ((server: string) => void) | undefined;
}
