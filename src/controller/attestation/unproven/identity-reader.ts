// The identity of a node, for requests that prove nothing: from the copy, and live before anybody is refused by it. An enrolment or
// a reset of this moment may not be in the copy yet, and a refusal is for good.

import { judgeStanding } from "../../../attestation/verifiers/index.ts";
import type { KubeClient } from "../../../platform/kube/index.ts";
import type { IdentityReader } from "../../approval/index.ts";
import { getIdentity, type Identities } from "../known/index.ts";

export interface IdentitySource {
  readonly home: KubeClient;
  readonly identities: Pick<Identities, "find" | "hasSynced">;
  readonly clusterName: string | undefined;
}

export function createIdentityReader({ home, identities, clusterName }: IdentitySource): IdentityReader {
  return async (nodeName, asked, signal) => {
    const copy = identities.find(nodeName);
    // Where the kind is not served, no node has an identity.
    if (copy.kind === "NotRead") return identities.hasSynced() ? { kind: "Absent" } : copy;
    if (copy.kind === "Absent" || judgeStanding(copy.value, asked).kind === "Pass") return copy;
    return await getIdentity(home, { nodeName, clusterName }, signal);
  };
}
