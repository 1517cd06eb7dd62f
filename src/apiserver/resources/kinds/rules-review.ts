// SelfSubjectRulesReview: everything I may do in a namespace, as far as it can be told (`kubectl auth can-i --list`).

import type { PolicyRule } from "../../../api/access/index.ts";
import { type KubeObject, SUBJECT_ACCESS_REVIEWS } from "../../../api/meta/index.ts";
import type { KnownRules, Review } from "../review.ts";

interface RulesReview extends KubeObject {
  spec?: { readonly namespace?: string };
  status?: unknown;
}

export const selfSubjectRulesReview: Review<RulesReview> = {
  resource: { ...SUBJECT_ACCESS_REVIEWS, plural: "selfsubjectrulesreviews", kind: "SelfSubjectRulesReview" },
  problem: ({ spec }) => ((spec?.namespace ?? "") === "" ? "no namespace on request" : undefined),
  validate: () => [],
  answer: ({ kind, apiVersion, metadata, spec = {} }, facts) => {
    const status = told(facts.rulesIn(spec.namespace ?? ""));
    // What was asked is not repeated: the answer is about the caller.
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
