// The two ways to the server behind. What carries its own credential, or none, goes over connections that prove
// nothing; what the gateway vouches for goes over connections with its own certificate. They never mix: a token that
// fails must not fall back to the gateway's identity, and a connection with a certificate turns anonymous requests into
// 401.

import { createUpstream, type Upstream } from "../platform/http/index.ts";
import type { Material } from "./material.ts";

export interface Backend {
  /** `https://host:port`. */
  readonly origin: string;
  readonly serverName?: string | undefined;
  /**
   * Beginnings of header names, in lower case, by which it knows identities beside `x-remote-`. It takes the groups in
   * all of its --requestheader-group-headers together, so one that a client may send through is one that a client may
   * use.
   */
  readonly identityHeaders?: readonly string[] | undefined;
}

export interface Upstreams {
  readonly plain: Upstream;
  /** Undefined: the gateway may not pass identities on. */
  readonly trusted: Upstream | undefined;
}

export async function openUpstreams(backend: Backend, { backendCaPem, frontProxy }: Material): Promise<Upstreams> {
  const { origin, serverName } = backend;
  const shared = { origin, serverName, caPem: backendCaPem };
  return {
    plain: await createUpstream(shared),
    trusted: frontProxy === undefined ? undefined : await createUpstream({ ...shared, pair: frontProxy }),
  };
}

/** Running answers go on to their end. */
export function retireUpstreams({ plain, trusted }: Upstreams): void {
  plain.retire();
  trusted?.retire();
}

export async function closeUpstreams({ plain, trusted }: Upstreams): Promise<void> {
  await Promise.all([plain.close(), trusted?.close()]);
}
