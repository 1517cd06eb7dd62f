// Does one RBAC rule allow one request? Rules only add up; there is no denying rule.
// Behaviour of kubernetes/pkg/apis/rbac/v1/evaluation_helpers.go.

import type { PolicyRule } from "../../api/access/index.ts";
import type { Attributes } from "./attributes.ts";

export function ruleAllows(rule: PolicyRule, asked: Attributes): boolean {
  if (!includesOrAll(rule.verbs, asked.verb)) return false;
  if (!asked.isResource) return (rule.nonResourceURLs ?? []).some((url) => urlMatches(url, asked.path));
  return (
    includesOrAll(rule.apiGroups ?? [], asked.group) &&
    resourceMatches(rule.resources ?? [], asked) &&
    nameMatches(rule.resourceNames ?? [], asked.name)
  );
}

function includesOrAll(list: readonly string[], value: string): boolean {
  return list.includes("*") || list.includes(value);
}

// `pods` does not cover `pods/status`, and `pods/*` is no wildcard; `*/status` covers the status of everything.
function resourceMatches(resources: readonly string[], { resource, subresource }: Attributes): boolean {
  if (resources.includes("*")) return true;
  if (subresource === "") return resources.includes(resource);
  return resources.includes(`${resource}/${subresource}`) || resources.includes(`*/${subresource}`);
}

/** A rule with names never matches a request without one. */
function nameMatches(names: readonly string[], name: string): boolean {
  return names.length === 0 || names.includes(name);
}

/** Only trailing stars are wildcards; all of them are trimmed, as upstream does. */
function urlMatches(pattern: string, path: string): boolean {
  if (pattern === "*" || pattern === path) return true;
  return pattern.endsWith("*") && path.startsWith(pattern.replace(/\*+$/, ""));
}
