// Everything the gateway may know about a request when it decides what becomes of it.

import type { CertificateVerdict } from "../api/access/index.ts";
import type { ReplyKey } from "../api/bootstrap/index.ts";

export interface RequestFacts {
  readonly method: string;
  /** Path and query exactly as they came. */
  readonly target: string;
  /** Lower-case names. */
  readonly headers: Readonly<Record<string, unknown>>;
  /** The peer's certificate by the client CA of this moment; "none" when none was shown. */
  readonly certificate: CertificateVerdict;
  readonly hasBearerToken: boolean;
  /** A valid discovery JWT of this request, and the live token that it names. */
  readonly discoveryKey: ReplyKey | undefined;
}
