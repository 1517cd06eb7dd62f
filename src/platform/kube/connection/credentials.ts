// Credentials for an API server. Asked anew for every request, so that a rotated token or certificate is used at once.

import type { Clock } from "../../clock/index.ts";
import type { Log } from "../../report/index.ts";

/** Nothing is anonymous; a token goes into each request, a certificate with its key into each connection. */
export interface Credentials {
  readonly token?: string | undefined;
  readonly certPem?: string | undefined;
  readonly keyPem?: string | undefined;
}

export type CredentialSource = () => Credentials | Promise<Credentials>;

/** Where a server is, how to know it, and who we are to it. */
export interface Connection {
  /** `https://host:port`, with a path where the API is served below one. */
  readonly server: string;
  /** Trust anchors. */
  readonly caPem?: string | undefined;
  /** Only for discovery, which verifies what it reads by other means. */
  readonly insecureSkipVerify?: boolean | undefined;
  /** The name to expect in the server's certificate where it differs from the host. */
  readonly tlsServerName?: string | undefined;
  readonly credentials: CredentialSource;
  /** Goes before HTTPS_PROXY, for every server. */
  readonly proxyUrl?: string | undefined;
  /** For HTTPS_PROXY and NO_PROXY. Default: the process's. */
  readonly env?: Readonly<Record<string, string | undefined>> | undefined;
  /**
   * The server answered 401 to this credential. Told only where another one can be had; then the request is sent once
   * more.
   */
  readonly refused?: ((credential: Credentials) => void) | undefined;
}

export function anonymous(): Credentials {
  return {};
}

// A value that is read again from time to time, because it is renewed on disk. Once it has been read, a failed
// reading is reported and the last good value stays: a file is absent for a moment while it is replaced.

/** Tokens and certificates are renewed minutes to months before they expire. */
const RELOAD_AFTER_MS = 5_000;

export function createReloading<T>(
  what: string,
  load: () => Promise<T>,
  { clock, log }: { readonly clock: Clock; readonly log: Log },
): () => Promise<T> {
  let last: { readonly value: T; readonly atMs: number } | undefined;
  return async () => {
    if (last !== undefined && clock.now() - last.atMs < RELOAD_AFTER_MS) return last.value;
    try {
      last = { value: await load(), atMs: clock.now() };
    } catch (error) {
      if (last === undefined) throw error;
      log.warn("cannot read credentials again, keeping the last ones", { what, error });
      last = { value: last.value, atMs: clock.now() };
    }
    return last.value;
  };
}
