// Users, RBAC kinds and reviews.

import type { KubeObject } from "../meta/index.ts";
import type { PolicyRule } from "./policy-rule.ts";
import type { ReviewFieldSelector } from "./review-selector.ts";

export {
  ANONYMOUS_USER,
  type Attributes,
  AUTHENTICATED_GROUP,
  type Authorizer,
  bearerTokenOf,
  type Decision,
  MASTERS_GROUP,
  UNAUTHENTICATED_GROUP,
  type UserInfo,
} from "./attributes.ts";
export { type CertificateVerdict, CREDENTIAL_ID, judgeClientCertificate } from "./client-certificate.ts";
export { type PolicyRule, parseRule, type RuleLine, ruleAllows } from "./policy-rule.ts";
export { requirementsOfReview } from "./review-selector.ts";

export interface Role extends KubeObject {
  rules?: readonly PolicyRule[];
}

export interface ClusterRole extends KubeObject {
  rules?: readonly PolicyRule[];
  aggregationRule?: {
    readonly clusterRoleSelectors?: readonly { readonly matchLabels?: Readonly<Record<string, string>> }[];
  };
}

export interface Subject {
  readonly kind: string;
  readonly apiGroup?: string;
  readonly name: string;
  readonly namespace?: string;
}

export interface RoleRef {
  readonly apiGroup: string;
  readonly kind: string;
  readonly name: string;
}

/** RoleBinding and ClusterRoleBinding have the same shape; the scope is in metadata.namespace. */
export interface RoleBinding extends KubeObject {
  subjects?: readonly Subject[];
  roleRef: RoleRef;
}

export interface ResourceAttributes {
  readonly namespace?: string;
  readonly verb?: string;
  readonly group?: string;
  readonly version?: string;
  readonly resource?: string;
  readonly subresource?: string;
  readonly name?: string;
  readonly fieldSelector?: ReviewFieldSelector;
}

export interface SubjectAccessReview extends KubeObject {
  spec: {
    readonly user?: string;
    readonly uid?: string;
    readonly groups?: readonly string[];
    readonly extra?: Readonly<Record<string, readonly string[]>>;
    readonly resourceAttributes?: ResourceAttributes;
    readonly nonResourceAttributes?: { readonly path?: string; readonly verb?: string };
  };
  status?: { readonly allowed: boolean; readonly denied?: boolean; readonly reason?: string };
}
