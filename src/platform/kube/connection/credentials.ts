// Who we are to an API server. Asked anew for every request, so that a rotated token or certificate is used at once.

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
  /** The server answered 401 to this credential. Told only where another one can be had; then the request is sent once more. */
  readonly refused?: ((credential: Credentials) => void) | undefined;
}

export function anonymous(): Credentials {
  return {};
}
