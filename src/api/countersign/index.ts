// Our own kinds: JoinPolicy and NodeIdentity, their words, and how a policy is read.

export { claimantOf, describeDispute } from "./disputes.ts";
export {
  ADMISSIONS,
  type Admission,
  type AttestationPolicy,
  type ClientPolicy,
  type JoinPolicy,
  type JoinPolicySpec,
  type JoinPolicyStatus,
  MACHINE_NAME_SOURCES,
  type MachineNameSource,
  type PcrPolicy,
  POLICY_MODES,
  type PolicyCondition,
  type PolicyMode,
  type ServingInventory,
  type ServingPolicy,
  type TpmPolicy,
} from "./join-policy.ts";
export { canonicalDns, canonicalIp, fillTemplate, isInPrefix, matchesName } from "./names.ts";
export {
  type AttestationKeyPin,
  type EndorsementKeyPin,
  EXCHANGE_STATES,
  EXCHANGES_KEPT,
  type Exchange,
  type ExchangeState,
  IDENTITY_PHASES,
  type IdentityOwner,
  type IdentityPhase,
  type IssuedCertificate,
  identityName,
  identityNames,
  isIdentityOf,
  type NodeIdentity,
  type NodeIdentitySpec,
  type NodeIdentityStatus,
  type TpmState,
} from "./node-identity.ts";
export type { Inventory, IpPrefix, NamePattern, Policy } from "./policy.ts";
export { compileName, readJoinPolicy } from "./read-policy.ts";
export {
  CLUSTER_LABEL,
  COUNTERSIGN_API_VERSION,
  COUNTERSIGN_GROUP,
  COUNTERSIGN_VERSION,
  EK_LABEL,
  EK_TRUST_LEVELS,
  type EkTrustLevel,
  EVIDENCE_RECIPIENT,
  ekLabelOf,
  JOIN_POLICIES,
  NODE_IDENTITIES,
  NODE_LABEL,
} from "./words.ts";
