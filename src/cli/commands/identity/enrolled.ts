// The identity that an operator's word becomes. The TPM is claimed for the node at once: one key, one live identity.

import {
  CLUSTER_LABEL,
  COUNTERSIGN_API_VERSION,
  EK_LABEL,
  ekLabelOf,
  identityName,
  NODE_IDENTITIES,
  type NodeIdentity,
  type NodeIdentitySpec,
} from "../../../api/countersign/index.ts";

export function enrolledIdentity(spec: NodeIdentitySpec): NodeIdentity {
  const { nodeName, clusterName, tpm } = spec;
  return {
    apiVersion: COUNTERSIGN_API_VERSION,
    kind: NODE_IDENTITIES.kind,
    metadata: {
      name: identityName(nodeName, clusterName),
      labels: {
        ...(clusterName === undefined ? {} : { [CLUSTER_LABEL]: clusterName }),
        ...(tpm === undefined ? {} : { [EK_LABEL]: ekLabelOf(tpm.ek.spkiSha256) }),
      },
    },
    spec,
  };
}
