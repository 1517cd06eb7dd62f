// Do the rules that a user holds cover the rules it wants to grant? Each wanted rule is split into atoms (one verb, one
// group, one resource, one name; or one verb and one URL), and each atom must be within one held rule. Behaviour of
// k8s.io/component-helpers/auth/rbac/validation/policy_comparator.go.

import type { PolicyRule } from "../../api/access/index.ts";

export function uncovered(held: readonly PolicyRule[], wanted: readonly PolicyRule[]): readonly PolicyRule[] {
  return wanted.flatMap(atomsOf).filter((atom) => !held.some((rule) => covers(rule, atom)));
}

function atomsOf(rule: PolicyRule): readonly PolicyRule[] {
  const urls = (rule.nonResourceURLs ?? []).flatMap((url) =>
    rule.verbs.map((verb): PolicyRule => ({ verbs: [verb], nonResourceURLs: [url] })),
  );
  const names = rule.resourceNames ?? [];
  const resources = (rule.apiGroups ?? []).flatMap((group) =>
    (rule.resources ?? []).flatMap((resource) =>
      rule.verbs.flatMap((verb): readonly PolicyRule[] => {
        const atom: PolicyRule = { verbs: [verb], apiGroups: [group], resources: [resource] };
        return names.length === 0 ? [atom] : names.map((name) => ({ ...atom, resourceNames: [name] }));
      }),
    ),
  );
  return [...urls, ...resources];
}

function covers(held: PolicyRule, atom: PolicyRule): boolean {
  if (!within(held.verbs, atom.verbs[0])) return false;
  const [url] = atom.nonResourceURLs ?? [];
  if (url !== undefined) return (held.nonResourceURLs ?? []).some((pattern) => coversUrl(pattern, url));
  const names = held.resourceNames ?? [];
  const [name] = atom.resourceNames ?? [];
  const coversName = names.length === 0 || (name !== undefined && names.includes(name));
  return (
    coversName && within(held.apiGroups ?? [], atom.apiGroups?.[0]) && coversResource(held, atom.resources?.[0] ?? "")
  );
}

function within(list: readonly string[], value: string | undefined): boolean {
  return list.includes("*") || (value !== undefined && list.includes(value));
}

function coversResource(held: PolicyRule, resource: string): boolean {
  const resources = held.resources ?? [];
  const slash = resource.indexOf("/");
  const wildcard = slash < 0 ? undefined : `*${resource.slice(slash)}`;
  return within(resources, resource) || (wildcard !== undefined && resources.includes(wildcard));
}

function coversUrl(pattern: string, url: string): boolean {
  return pattern === url || (pattern.endsWith("*") && url.startsWith(pattern.replace(/\*+$/, "")));
}

/** `{APIGroups:[""], Resources:["pods"], Verbs:["get"]}`: the form of kube-apiserver's refusals. */
export function describeRule(rule: PolicyRule): string {
  const parts: readonly (readonly [string, readonly string[] | undefined])[] = [
    ["APIGroups", rule.apiGroups],
    ["Resources", rule.resources],
    ["NonResourceURLs", rule.nonResourceURLs],
    ["ResourceNames", rule.resourceNames],
    ["Verbs", rule.verbs],
  ];
  const shown = parts.filter(([, values]) => (values ?? []).length > 0);
  const quoted = (values: readonly string[] = []) => values.map((value) => JSON.stringify(value)).join(" ");
  return `{${shown.map(([name, values]) => `${name}:[${quoted(values)}]`).join(", ")}}`;
}
