// Everything the judgement of a service account's token may know: the claims, whose signature has been verified, and the
// objects they name as they are stored at this moment.

import type { Secret } from "../../../api/core/index.ts";
import type { KubeObject } from "../../../api/meta/index.ts";
import type { BoundClaims, LegacyClaims } from "./claims.ts";

export interface BoundFacts {
  readonly nowMs: number;
  readonly claims: BoundClaims;
  /** Undefined: not stored. */
  readonly serviceAccount: KubeObject | undefined;
  readonly pod: KubeObject | undefined;
  readonly secret: KubeObject | undefined;
  readonly node: KubeObject | undefined;
}

export interface LegacyFacts {
  readonly claims: LegacyClaims;
  readonly token: string;
  readonly serviceAccount: KubeObject | undefined;
  readonly secret: Secret | undefined;
}
