// Role, ClusterRole, RoleBinding, ClusterRoleBinding: kubernetes/pkg/apis/rbac/validation. Whether a writer may grant
// what it writes is admission's question (admission/rbac-escalation.ts).

import type { ClusterRole, PolicyRule, Role, RoleBinding, Subject } from "../../../api/access/index.ts";
import {
  CLUSTER_ROLE_BINDINGS,
  CLUSTER_ROLES,
  type KubeObject,
  type Resource,
  ROLE_BINDINGS,
  ROLES,
} from "../../../api/meta/index.ts";
import { type FieldError, invalid, notSupported, required } from "../field-error.ts";
import { pathSegment } from "../names.ts";
import { defineStrategy, type Strategy } from "../strategy.ts";
import { ageCell, column, NAME_COLUMN, nameOf, type TableLayout } from "../table.ts";

const GROUP = "rbac.authorization.k8s.io";

function ruleErrors(rule: PolicyRule, field: string, isNamespaced: boolean): readonly FieldError[] {
  const isEmpty = (list: readonly string[] | undefined) => list === undefined || list.length === 0;
  const errors: FieldError[] = [];
  if (isEmpty(rule.verbs)) errors.push(required(`${field}.verbs`, "verbs must contain at least one value"));
  if (!isEmpty(rule.nonResourceURLs)) {
    const urls = `${field}.nonResourceURLs`;
    if (isNamespaced)
      errors.push(invalid(urls, rule.nonResourceURLs, "namespaced rules cannot apply to non-resource URLs"));
    if (!isEmpty(rule.apiGroups) || !isEmpty(rule.resources) || !isEmpty(rule.resourceNames)) {
      errors.push(
        invalid(urls, rule.nonResourceURLs, "rules cannot apply to both regular resources and non-resource URLs"),
      );
    }
    return errors;
  }
  if (isEmpty(rule.apiGroups)) {
    errors.push(required(`${field}.apiGroups`, "resource rules must supply at least one api group"));
  }
  if (isEmpty(rule.resources)) {
    errors.push(required(`${field}.resources`, "resource rules must supply at least one resource"));
  }
  return errors;
}

function rulesErrors(role: Role, isNamespaced: boolean): readonly FieldError[] {
  return (role.rules ?? []).flatMap((rule, at) => ruleErrors(rule, `rules[${at}]`, isNamespaced));
}

function clusterRoleErrors(role: ClusterRole): readonly FieldError[] {
  const selectors = role.aggregationRule?.clusterRoleSelectors;
  const lacksSelector = role.aggregationRule !== undefined && (selectors ?? []).length === 0;
  const field = "aggregationRule.clusterRoleSelectors";
  return [
    ...rulesErrors(role, false),
    ...(lacksSelector
      ? [required(field, "at least one clusterRoleSelector required if aggregationRule is non-nil")]
      : []),
  ];
}

export const roleStrategy = defineStrategy<Role>({
  resource: ROLES,
  nameRule: pathSegment,
  prepareCreate: (sent) => ({ ...sent, rules: sent.rules ?? [] }),
  validateCreate: (role) => rulesErrors(role, true),
  validateUpdate: (role) => rulesErrors(role, true),
});

export const clusterRoleStrategy = defineStrategy<ClusterRole>({
  resource: CLUSTER_ROLES,
  nameRule: pathSegment,
  prepareCreate: (sent) => ({ ...sent, rules: sent.rules ?? [] }),
  validateCreate: clusterRoleErrors,
  validateUpdate: clusterRoleErrors,
});

function withDefaults(binding: RoleBinding): RoleBinding {
  const subjects = binding.subjects?.map((subject) => {
    if (subject.apiGroup !== undefined && subject.apiGroup !== "") return subject;
    return subject.kind === "ServiceAccount" ? subject : { ...subject, apiGroup: GROUP };
  });
  const roleRef = { ...binding.roleRef, apiGroup: binding.roleRef?.apiGroup || GROUP };
  return { ...binding, roleRef, ...(subjects === undefined ? {} : { subjects }) };
}

function bindingErrors(binding: RoleBinding, kinds: readonly string[]): readonly FieldError[] {
  const { apiGroup, kind, name } = binding.roleRef;
  const isNamespaced = kinds.includes("Role");
  return [
    ...(apiGroup === GROUP ? [] : [notSupported("roleRef.apiGroup", apiGroup, [GROUP])]),
    ...(kinds.includes(kind) ? [] : [notSupported("roleRef.kind", kind ?? "", kinds)]),
    ...((name ?? "") === ""
      ? [required("roleRef.name")]
      : pathSegment(name).map((text) => invalid("roleRef.name", name, text))),
    ...(binding.subjects ?? []).flatMap((subject, at) => subjectErrors(subject, `subjects[${at}]`, isNamespaced)),
  ];
}

function subjectErrors(subject: Subject, field: string, isNamespaced: boolean): readonly FieldError[] {
  const { kind, name, namespace, apiGroup } = subject;
  if (!Object.hasOwn(SUBJECT_GROUPS, kind ?? "")) {
    return [notSupported(`${field}.kind`, kind ?? "", Object.keys(SUBJECT_GROUPS))];
  }
  const wanted = SUBJECT_GROUPS[kind] ?? "";
  const lacksNamespace = kind === "ServiceAccount" && !isNamespaced && isAbsent(namespace);
  return [
    ...(isAbsent(name) ? [required(`${field}.name`)] : []),
    ...((apiGroup ?? "") === wanted ? [] : [notSupported(`${field}.apiGroup`, apiGroup, [wanted])]),
    ...(lacksNamespace ? [required(`${field}.namespace`)] : []),
  ];
}

/** Kind of subject -> the group it belongs to. */
const SUBJECT_GROUPS: Readonly<Record<string, string>> = { ServiceAccount: "", User: GROUP, Group: GROUP };

function isAbsent(text: string | undefined): boolean {
  return text === undefined || text === "";
}

const BINDING_TABLE: TableLayout<RoleBinding> = {
  columns: [
    NAME_COLUMN,
    column("Role"),
    column("Age"),
    column("Users", 1),
    column("Groups", 1),
    column("ServiceAccounts", 1),
  ],
  cells: (binding, nowMs) => {
    const named = (kind: string, show: (subject: Subject) => string) =>
      (binding.subjects ?? [])
        .filter((subject) => subject.kind === kind)
        .map(show)
        .join(", ");
    return [
      nameOf(binding),
      `${binding.roleRef.kind}/${binding.roleRef.name}`,
      ageCell(binding, nowMs),
      named("User", (subject) => subject.name),
      named("Group", (subject) => subject.name),
      named("ServiceAccount", (subject) => `${subject.namespace ?? ""}/${subject.name}`),
    ];
  },
};

function bindingStrategy(resource: Resource, kinds: readonly string[]): Strategy<RoleBinding> {
  return defineStrategy<RoleBinding>({
    resource,
    nameRule: pathSegment,
    prepareCreate: withDefaults,
    prepareUpdate: withDefaults,
    validateCreate: (binding) => bindingErrors(binding, kinds),
    validateUpdate: (next, current) => [
      ...(sameRoleRef(next, current) ? [] : [invalid("roleRef", next.roleRef, "cannot change roleRef")]),
      ...bindingErrors(next, kinds),
    ],
    table: BINDING_TABLE,
  });
}

function sameRoleRef(one: RoleBinding, other: RoleBinding): boolean {
  return one.roleRef.kind === other.roleRef.kind && one.roleRef.name === other.roleRef.name;
}

export const roleBindingStrategy = bindingStrategy(ROLE_BINDINGS, ["ClusterRole", "Role"]);
export const clusterRoleBindingStrategy = bindingStrategy(CLUSTER_ROLE_BINDINGS, ["ClusterRole"]);

export const RBAC_STRATEGIES: readonly Strategy<KubeObject>[] = [
  clusterRoleBindingStrategy,
  clusterRoleStrategy,
  roleBindingStrategy,
  roleStrategy,
];
