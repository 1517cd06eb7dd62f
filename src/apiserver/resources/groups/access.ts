// Who asks and what they may: authentication, authorization, RBAC, certificates.

import type { ApiGroup } from "../api-group.ts";
import {
  localSubjectAccessReview,
  selfSubjectAccessReview,
  selfSubjectRulesReview,
  subjectAccessReview,
} from "../kinds/access-reviews.ts";
import { csrStrategy } from "../kinds/csr/strategy.ts";
import { RBAC_STRATEGIES } from "../kinds/rbac.ts";
import { selfSubjectReview, tokenReview } from "../kinds/user-reviews.ts";

export const AUTHENTICATION: ApiGroup = {
  apiVersion: "authentication.k8s.io/v1",
  packageName: "authentication",
  reviews: [selfSubjectReview, tokenReview],
  messages: `
TokenReview = 1 metadata meta.ObjectMeta, 2 spec+ TokenReviewSpec, 3 status TokenReviewStatus
TokenReviewSpec = 1 token+ string, 2 audiences []string
TokenReviewStatus = 1 authenticated bool, 2 user UserInfo, 3 error string, 4 audiences []string
UserInfo = 1 username string, 2 uid string, 3 groups []string, 4 extra {}Strings
TokenRequest = 1 metadata meta.ObjectMeta, 2 spec TokenRequestSpec, 3 status TokenRequestStatus
TokenRequestSpec = 1 audiences []string, 3 boundObjectRef? BoundObjectReference, 4 expirationSeconds? int64
BoundObjectReference = 1 kind string, 2 apiVersion string, 3 name string, 4 uid string
TokenRequestStatus = 1 token!~ string, 2 expirationTimestamp Time
SelfSubjectReview = 1 metadata meta.ObjectMeta, 2 status SelfSubjectReviewStatus
SelfSubjectReviewStatus = 1 userInfo UserInfo
`,
};

export const AUTHORIZATION: ApiGroup = {
  apiVersion: "authorization.k8s.io/v1",
  packageName: "authorization",
  reviews: [localSubjectAccessReview, selfSubjectAccessReview, selfSubjectRulesReview, subjectAccessReview],
  messages: `
SubjectAccessReview = 1 metadata meta.ObjectMeta, 2 spec+ SubjectAccessReviewSpec, 3 status SubjectAccessReviewStatus
SubjectAccessReviewSpec = 1 resourceAttributes? ResourceAttributes, 2 nonResourceAttributes? NonResourceAttributes,
  3 user string, 4 groups []string, 5 extra {}Strings, 6 uid string
ResourceAttributes = 1 namespace string, 2 verb string, 3 group string, 4 version string, 5 resource string,
  6 subresource string, 7 name string, 8 fieldSelector? FieldSelectorAttributes,
  9 labelSelector? LabelSelectorAttributes
FieldSelectorAttributes = 1 rawSelector string, 2 requirements []meta.FieldSelectorRequirement
LabelSelectorAttributes = 1 rawSelector string, 2 requirements []meta.LabelSelectorRequirement
NonResourceAttributes = 1 path string, 2 verb string
SubjectAccessReviewStatus = 1 allowed! bool, 2 reason string, 3 evaluationError string, 4 denied bool
SelfSubjectAccessReview = 1 metadata meta.ObjectMeta, 2 spec+ SelfSubjectAccessReviewSpec,
  3 status SubjectAccessReviewStatus
SelfSubjectAccessReviewSpec = 1 resourceAttributes? ResourceAttributes, 2 nonResourceAttributes? NonResourceAttributes
LocalSubjectAccessReview = 1 metadata meta.ObjectMeta, 2 spec+ SubjectAccessReviewSpec,
  3 status SubjectAccessReviewStatus
SelfSubjectRulesReview = 1 metadata meta.ObjectMeta, 2 spec+ SelfSubjectRulesReviewSpec,
  3 status SubjectRulesReviewStatus
SelfSubjectRulesReviewSpec = 1 namespace string
SubjectRulesReviewStatus = 1 resourceRules+ []ResourceRule, 2 nonResourceRules+ []NonResourceRule, 3 incomplete! bool,
  4 evaluationError string
ResourceRule = 1 verbs+ []string, 2 apiGroups []string, 3 resources []string, 4 resourceNames []string
NonResourceRule = 1 verbs+ []string, 2 nonResourceURLs []string
`,
};

export const RBAC: ApiGroup = {
  apiVersion: "rbac.authorization.k8s.io/v1",
  packageName: "rbac",
  kinds: RBAC_STRATEGIES,
  messages: `
Role = 1 metadata meta.ObjectMeta, 2 rules!~ []PolicyRule
PolicyRule = 1 verbs! []string, 2 apiGroups []string, 3 resources []string, 4 resourceNames []string,
  5 nonResourceURLs []string
RoleBinding = 1 metadata meta.ObjectMeta, 2 subjects []Subject, 3 roleRef+ RoleRef
Subject atomic = 1 kind! string, 2 apiGroup string, 3 name! string, 4 namespace string
RoleRef atomic = 1 apiGroup!~ string, 2 kind! string, 3 name! string
ClusterRole = 1 metadata meta.ObjectMeta, 2 rules!~ []PolicyRule, 3 aggregationRule? AggregationRule
AggregationRule = 1 clusterRoleSelectors []meta.LabelSelector
ClusterRoleBinding = 1 metadata meta.ObjectMeta, 2 subjects []Subject, 3 roleRef+ RoleRef
`,
};

export const CERTIFICATES: ApiGroup = {
  apiVersion: "certificates.k8s.io/v1",
  packageName: "certificates",
  kinds: [csrStrategy],
  messages: `
CertificateSigningRequest = 1 metadata meta.ObjectMeta, 2 spec+ CertificateSigningRequestSpec,
  3 status CertificateSigningRequestStatus
CertificateSigningRequestSpec = 1 request! bytes, 2 username string, 3 uid string, 4 groups []string, 5 usages []string,
  6 extra {}Strings, 7 signerName! string, 8 expirationSeconds? int32
CertificateSigningRequestStatus = 1 conditions []CertificateSigningRequestCondition map type, 2 certificate bytes
CertificateSigningRequestCondition = 1 type! string, 2 reason string, 3 message string, 4 lastUpdateTime Time,
  5 lastTransitionTime Time, 6 status! string
`,
};
