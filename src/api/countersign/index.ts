// Our own kinds, JoinPolicy and NodeIdentity: names, types, and how a policy is read.

export { claimantOf, describeDispute } from "./disputes.ts";
export { GUARD_RULES } from "./guard.ts";
export {
  type Admission,
  type AttestationPolicy,
  type Inventory,
  JOIN_WINDOW_SECONDS,
  type JoinPolicy,
  type JoinPolicyStatus,
  MACHINE_NAME_SOURCES,
  type MachineNameSource,
  POLICY_MODES,
  type Policy,
  type PolicyCondition,
  type PolicyMode,
  readJoinPolicy,
} from "./join-policy.ts";
export {
  canonicalDns,
  canonicalIp,
  compileName,
  fillTemplate,
  type IpPrefix,
  isInPrefix,
  matchesName,
} from "./names.ts";
export {
  EXCHANGES_KEPT,
  type Exchange,
  type ExchangeState,
  type IdentityOwner,
  type IssuedCertificate,
  identityName,
  identityNames,
  isIdentityOf,
  MADE_FOR_ANNOTATION,
  type NodeIdentity,
  type NodeIdentitySpec,
  type NodeIdentityStatus,
  type TpmState,
} from "./node-identity.ts";
export {
  CLUSTER_LABEL,
  COUNTERSIGN_API_VERSION,
  EK_LABEL,
  type EkTrustLevel,
  EVIDENCE_RECIPIENT,
  ekLabelOf,
  JOIN_POLICIES,
  NODE_IDENTITIES,
  NODE_LABEL,
} from "./words.ts";
