// The identity of a node, for requests that prove nothing: from the copy, and live before anybody is refused by it. An enrolment or
// a reset of this moment may not be in the copy yet, and a refusal is for good. Where the identities are on another cluster than the
// requests, the signer also asks live before anybody is let through: that cluster may be out of reach while this one is not, and what
// an operator says there meanwhile would not be heard.

import { judgeStanding } from "../../../attestation/rules/index.ts";
import type { KubeClient } from "../../../platform/kube/index.ts";
import type { IdentityReader } from "../../judging/index.ts";
import { getIdentity, type Identities } from "../known/index.ts";

export interface IdentitySource {
  readonly home: KubeClient;
  readonly identities: Pick<Identities, "find" | "hasSynced">;
  readonly clusterName: string | undefined;
  /** A pass of the copy is asked for once more, live. */
  readonly isAlwaysLive?: boolean;
}

export function createIdentityReader({
  home,
  identities,
  clusterName,
  isAlwaysLive = false,
}: IdentitySource): IdentityReader {
  return async (nodeName, asked, signal) => {
    const copy = identities.find(nodeName);
    // Where the kind is not served, no node has an identity.
    if (copy.kind === "NotRead") return identities.hasSynced() ? { kind: "Absent" } : copy;
    const isPassed = copy.kind === "Absent" || judgeStanding(copy.value, asked).kind === "Pass";
    if (isPassed && !isAlwaysLive) return copy;
    return await getIdentity(home, { nodeName, clusterName }, signal);
  };
}
