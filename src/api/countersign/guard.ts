// The rules of the admission guard (deploy/guard.yaml) in words and numbers, for the policy that a real API server runs
// and for the server that has them built in: the creator of a certificate request does not also write what others say
// about it.

import { COUNTERSIGN_GROUP } from "./words.ts";

export const GUARD_RULES = {
  /** Annotations of a request that only a platform's controller may set. */
  reservedPrefix: `${COUNTERSIGN_GROUP}/`,
  /** The Machine's endorsement key, in both spellings. */
  reserved: ["cluster.x-k8s.io/tpm-endorsement-key", "cluster-x-k8s-io/tpm-endorsement-key"],
  /** The right to set them: this verb on this resource of our group. */
  right: { group: COUNTERSIGN_GROUP, resource: "csrmetadata", verb: "set" },
  /** Base64 of 65536 octets. */
  maxRequestCharacters: 87_384,
  annotations: "annotations of countersign.dev and tpm-endorsement-key are not for whoever makes the request",
  finalizers: "a request must not have finalizers",
  ownerReferences: "a request must not have owner references",
  tooLarge: "a request with evidence must have at most 65536 octets",
} as const;
