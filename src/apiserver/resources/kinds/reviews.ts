// SubjectAccessReview, SelfSubjectAccessReview, SelfSubjectReview: questions about rights and identity.

import type { ResourceAttributes, SubjectAccessReview, UserInfo } from "../../../api/access/index.ts";
import {
  type KubeObject,
  type Resource,
  SELF_SUBJECT_REVIEWS,
  SUBJECT_ACCESS_REVIEWS,
} from "../../../api/meta/index.ts";
import type { Attributes, Decision } from "../../authorization/attributes.ts";
import { type FieldError, invalid } from "../field-error.ts";
import { formatTime } from "../metadata.ts";
import type { Review } from "../review.ts";
import { META_SHAPE, type Shape } from "../shape.ts";

const SELF_SUBJECT_ACCESS_REVIEWS: Resource = {
  ...SUBJECT_ACCESS_REVIEWS,
  plural: "selfsubjectaccessreviews",
  kind: "SelfSubjectAccessReview",
};

const ACCESS_SHAPE: Shape = {
  metadata: META_SHAPE,
  spec: {
    user: "string",
    uid: "string",
    groups: ["string"],
    extra: { "*": ["string"] },
    resourceAttributes: {
      namespace: "string",
      verb: "string",
      group: "string",
      version: "string",
      resource: "string",
      subresource: "string",
      name: "string",
    },
    nonResourceAttributes: { path: "string", verb: "string" },
  },
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
  const isNobody = (spec.user ?? "") === "" && (spec.groups ?? []).length === 0;
  return isNobody ? [invalid("spec.user", spec.user ?? "", "at least one of user or group must be specified")] : [];
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
    fieldRequirements: [],
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

export const subjectAccessReview: Review<SubjectAccessReview> = {
  resource: SUBJECT_ACCESS_REVIEWS,
  shape: ACCESS_SHAPE,
  validate: ({ spec = {} }) => [...attributeErrors(spec), ...subjectErrors(spec)],
  answer: (asked, facts) => {
    const { user = "", uid, groups = [], extra } = asked.spec;
    const subject: UserInfo = {
      username: user,
      groups,
      ...(uid === undefined ? {} : { uid }),
      ...(extra === undefined ? {} : { extra }),
    };
    return answered(asked, facts.authorize(attributesFor(subject, asked.spec)), SUBJECT_ACCESS_REVIEWS);
  },
};

export const selfSubjectAccessReview: Review<SubjectAccessReview> = {
  resource: SELF_SUBJECT_ACCESS_REVIEWS,
  shape: ACCESS_SHAPE,
  validate: ({ spec = {} }) => attributeErrors(spec),
  answer: (asked, facts) =>
    answered(asked, facts.authorize(attributesFor(facts.user, asked.spec)), SELF_SUBJECT_ACCESS_REVIEWS),
};

export const selfSubjectReview: Review = {
  resource: SELF_SUBJECT_REVIEWS,
  shape: { metadata: META_SHAPE },
  validate: () => [],
  answer: (asked, { user, nowMs }) => {
    const { username, uid, groups, extra } = user;
    const userInfo = {
      username,
      ...(uid === undefined ? {} : { uid }),
      groups,
      ...(extra === undefined ? {} : { extra }),
    };
    const metadata = { creationTimestamp: formatTime(nowMs) };
    const answer: KubeObject & { status: unknown } = {
      kind: "SelfSubjectReview",
      apiVersion: asked.apiVersion,
      metadata,
      status: { userInfo },
    };
    return answer;
  },
};
