// One RBAC rule: its fields, how it is written in one line, and whether it allows one request. Rules only add up; there
// is no denying rule. Matching as in kubernetes/pkg/apis/rbac/v1/evaluation_helpers.go.

import { assert } from "../../kernel/outcome/index.ts";
import type { Attributes } from "./attributes.ts";

export interface PolicyRule {
  readonly verbs: readonly string[];
  readonly apiGroups?: readonly string[];
  readonly resources?: readonly string[];
  readonly resourceNames?: readonly string[];
  readonly nonResourceURLs?: readonly string[];
}

/**
 * `<verbs> <groups> <resources> [<names>]`, lists with commas, the core group written `core`; or `<verbs> url <paths>`.
 * `read` stands for get,list,watch; `write` for create,delete,deletecollection,patch,update.
 */
export type RuleLine = string;

const WORDS: Readonly<Record<string, readonly string[]>> = {
  read: ["get", "list", "watch"],
  write: ["create", "delete", "deletecollection", "patch", "update"],
};

export function parseRule(line: RuleLine): PolicyRule {
  const [verbs, groups, resources, names, ...rest] = line.split(" ").map((field) => field.split(","));
  assert(verbs !== undefined && groups !== undefined && resources !== undefined && rest.length === 0, `rule: ${line}`);
  const expanded = verbs.flatMap((verb) => WORDS[verb] ?? [verb]).sort();
  if (groups[0] === "url") return { verbs: expanded, nonResourceURLs: resources };
  const apiGroups = groups.map((group) => (group === "core" ? "" : group));
  return { verbs: expanded, apiGroups, resources, ...(names === undefined ? {} : { resourceNames: names }) };
}

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
