// Reviews of access: whether a user may do something (SubjectAccessReview, its local and its self form), and everything
// that the caller may do (SelfSubjectRulesReview).

import {
  type Attributes,
  type Decision,
  type PolicyRule,
  type ResourceAttributes,
  requirementsOfReview,
  type SubjectAccessReview,
  type UserInfo,
} from "../../../api/access/index.ts";
import {
  type KubeObject,
  type Resource,
  SELF_SUBJECT_ACCESS_REVIEWS,
  SUBJECT_ACCESS_REVIEWS,
} from "../../../api/meta/index.ts";
import { type FieldError, invalid } from "../field-error.ts";
import type { KnownRules, Review } from "../review.ts";

const LOCAL_SUBJECT_ACCESS_REVIEWS: Resource = {
  ...SUBJECT_ACCESS_REVIEWS,
  plural: "localsubjectaccessreviews",
  kind: "LocalSubjectAccessReview",
  namespaced: true,
};

type AccessSpec = SubjectAccessReview["spec"];

function attributeErrors(spec: AccessSpec): readonly FieldError[] {
  const both = spec.resourceAttributes !== undefined && spec.nonResourceAttributes !== undefined;
  const neither = spec.resourceAttributes === undefined && spec.nonResourceAttributes === undefined;
  if (!both && !neither) return [];
  const text = both
    ? "cannot be specified in combination with resourceAttributes"
    : "exactly one of nonResourceAttributes or resourceAttributes must be specified";
  return [invalid(both ? "spec.nonResourceAttributes" : "spec.resourceAttributes", null, text)];
}

function subjectErrors(spec: AccessSpec): readonly FieldError[] {
  const isUnnamed = (spec.user ?? "") === "" && (spec.groups ?? []).length === 0;
  return isUnnamed ? [invalid("spec.user", spec.user ?? "", "at least one of user or group must be specified")] : [];
}

function attributesFor(user: UserInfo, spec: AccessSpec): Attributes {
  const path = spec.nonResourceAttributes;
  const asked: ResourceAttributes = spec.resourceAttributes ?? {};
  return {
    user,
    verb: path?.verb ?? asked.verb ?? "",
    isResource: path === undefined,
    path: path?.path ?? "",
    group: asked.group ?? "",
    version: asked.version || "*",
    resource: asked.resource ?? "",
    subresource: asked.subresource ?? "",
    namespace: asked.namespace ?? "",
    name: asked.name ?? "",
    fieldRequirements: requirementsOfReview(asked.fieldSelector),
  };
}

function answered(asked: SubjectAccessReview, decision: Decision, resource: Resource): KubeObject {
  const status = {
    allowed: decision.kind === "Allow",
    ...(decision.kind === "Deny" ? { denied: true } : {}),
    ...(decision.message === "" ? {} : { reason: decision.message }),
  };
  const answer: SubjectAccessReview = {
    kind: resource.kind,
    apiVersion: asked.apiVersion,
    metadata: asked.metadata,
    spec: asked.spec,
    status,
  };
  return answer;
}

/** As the review names the user: no group is added. */
function subjectOf({ user = "", uid, groups = [], extra }: AccessSpec): UserInfo {
  return {
    username: user,
    groups,
    ...(uid === undefined ? {} : { uid }),
    ...(extra === undefined ? {} : { extra }),
  };
}

export const subjectAccessReview: Review<SubjectAccessReview> = {
  resource: SUBJECT_ACCESS_REVIEWS,
  validate: ({ spec = {} }) => [...attributeErrors(spec), ...subjectErrors(spec)],
  answer: (asked, facts) => {
    const decision = facts.authorize(attributesFor(subjectOf(asked.spec), asked.spec));
    return answered(asked, decision, SUBJECT_ACCESS_REVIEWS);
  },
};

/** About one namespace: a user who may ask only there learns nothing about others. */
export const localSubjectAccessReview: Review<SubjectAccessReview> = {
  resource: LOCAL_SUBJECT_ACCESS_REVIEWS,
  validate: ({ spec = {}, metadata }) => [
    ...attributeErrors(spec),
    ...subjectErrors(spec),
    ...placeErrors(spec, metadata.namespace ?? ""),
  ],
  answer: (asked, facts) => {
    const decision = facts.authorize(attributesFor(subjectOf(asked.spec), asked.spec));
    return answered(asked, decision, LOCAL_SUBJECT_ACCESS_REVIEWS);
  },
};

function placeErrors(spec: AccessSpec, namespace: string): readonly FieldError[] {
  const { resourceAttributes, nonResourceAttributes } = spec;
  if (nonResourceAttributes !== undefined) {
    return [invalid("spec.nonResourceAttributes", nonResourceAttributes, "disallowed on this kind of request")];
  }
  const asked = resourceAttributes?.namespace ?? "";
  return asked === namespace
    ? []
    : [invalid("spec.resourceAttributes.namespace", asked, "must match metadata.namespace")];
}

export const selfSubjectAccessReview: Review<SubjectAccessReview> = {
  resource: SELF_SUBJECT_ACCESS_REVIEWS,
  validate: ({ spec = {} }) => attributeErrors(spec),
  answer: (asked, facts) =>
    answered(asked, facts.authorize(attributesFor(facts.user, asked.spec)), SELF_SUBJECT_ACCESS_REVIEWS),
};

interface RulesReview extends KubeObject {
  spec?: { readonly namespace?: string };
  status?: unknown;
}

/** Everything the caller may do in a namespace, as far as it can be enumerated: `kubectl auth can-i --list`. */
export const selfSubjectRulesReview: Review<RulesReview> = {
  resource: { ...SUBJECT_ACCESS_REVIEWS, plural: "selfsubjectrulesreviews", kind: "SelfSubjectRulesReview" },
  problem: ({ spec }) => ((spec?.namespace ?? "") === "" ? "no namespace on request" : undefined),
  validate: () => [],
  answer: ({ kind, apiVersion, metadata, spec = {} }, facts) => {
    const status = told(facts.rulesIn(spec.namespace ?? ""));
    // The answer does not repeat the spec: it is about the caller.
    const answer: RulesReview = { kind, apiVersion, metadata, spec: {}, status };
    return answer;
  },
};

function told({ rules, problems }: KnownRules): unknown {
  return {
    resourceRules: rules.filter(({ resources = [] }) => resources.length > 0).map(resourceRule),
    nonResourceRules: rules
      .filter(({ nonResourceURLs = [] }) => nonResourceURLs.length > 0)
      .map(({ verbs, nonResourceURLs }) => ({ verbs, nonResourceURLs })),
    incomplete: problems.length > 0,
    ...(problems.length === 0 ? {} : { evaluationError: problems.join(", ") }),
  };
}

function resourceRule({ verbs, apiGroups, resources, resourceNames }: PolicyRule): unknown {
  return { verbs, apiGroups, resources, ...(resourceNames === undefined ? {} : { resourceNames }) };
}
