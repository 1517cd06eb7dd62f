// The audit policy: how much of which request is recorded. Rules in order, the first that matches counts; without a
// match nothing is recorded. Form and matching of audit.k8s.io/v1 Policy (k8s.io/apiserver/pkg/audit/policy). Pure.

import type { UserInfo } from "../../api/access/index.ts";
import { Fault } from "../../kernel/outcome/index.ts";
import type { RequestInfo } from "../entry/request-info.ts";

const LEVELS = ["None", "Metadata", "Request", "RequestResponse"] as const;
export type Level = (typeof LEVELS)[number];

const STAGE_NAMES = ["RequestReceived", "ResponseStarted", "ResponseComplete", "Panic"] as const;
export type AuditStage = (typeof STAGE_NAMES)[number];

interface GroupResources {
  readonly group?: string;
  readonly resources?: readonly string[];
  readonly resourceNames?: readonly string[];
}

interface PolicyRule {
  readonly level: Level;
  readonly users?: readonly string[];
  readonly userGroups?: readonly string[];
  readonly verbs?: readonly string[];
  readonly resources?: readonly GroupResources[];
  readonly namespaces?: readonly string[];
  readonly nonResourceURLs?: readonly string[];
  readonly omitStages?: readonly AuditStage[];
  readonly omitManagedFields?: boolean;
}

export interface AuditPolicy {
  readonly rules: readonly PolicyRule[];
  readonly omitStages?: readonly AuditStage[];
  readonly omitManagedFields?: boolean;
}

/** Metadata of every request, without bodies, in one line: the stage RequestReceived is left out. */
export const DEFAULT_POLICY: AuditPolicy = { rules: [{ level: "Metadata" }], omitStages: ["RequestReceived"] };

export interface Decided {
  readonly level: Level;
  readonly omitStages: readonly AuditStage[];
  readonly omitManagedFields: boolean;
}

export function decide(policy: AuditPolicy, user: UserInfo, info: RequestInfo): Decided {
  const rule = policy.rules.find((one) => matches(one, user, info));
  return {
    level: rule?.level ?? "None",
    omitStages: [...(policy.omitStages ?? []), ...(rule?.omitStages ?? [])],
    omitManagedFields: rule?.omitManagedFields ?? policy.omitManagedFields ?? false,
  };
}

function matches(rule: PolicyRule, user: UserInfo, info: RequestInfo): boolean {
  if (isGiven(rule.users) && !rule.users.includes(user.username)) return false;
  if (isGiven(rule.userGroups) && !rule.userGroups.some((group) => user.groups.includes(group))) return false;
  if (isGiven(rule.verbs) && !rule.verbs.includes(info.verb)) return false;
  if (isGiven(rule.namespaces) || isGiven(rule.resources)) return info.isResource && matchesResource(rule, info);
  if (isGiven(rule.nonResourceURLs))
    return !info.isResource && rule.nonResourceURLs.some((url) => covers(url, info.path));
  return true;
}

function isGiven<T>(list: readonly T[] | undefined): list is readonly T[] {
  return list !== undefined && list.length > 0;
}

function covers(pattern: string, path: string): boolean {
  return pattern === "*" || (pattern.endsWith("*") ? path.startsWith(pattern.slice(0, -1)) : path === pattern);
}

/** An empty string among the namespaces stands for objects without one. */
function matchesResource(rule: PolicyRule, info: RequestInfo): boolean {
  if (isGiven(rule.namespaces) && !rule.namespaces.includes(info.namespace)) return false;
  if (!isGiven(rule.resources)) return true;
  return rule.resources.some(({ group = "", resources, resourceNames }) => {
    if (group !== info.group) return false;
    if (isGiven(resourceNames) && !resourceNames.includes(info.name)) return false;
    return !isGiven(resources) || resources.some((one) => names(one, info));
  });
}

// pods, pods/status, pods/*, */status or *; a bare name does not cover the subresources.
function names(pattern: string, { resource, subresource }: RequestInfo): boolean {
  const full = subresource === "" ? resource : `${resource}/${subresource}`;
  if (pattern === full || pattern === "*") return true;
  if (subresource === "") return false;
  return pattern === `${resource}/*` || pattern === `*/${subresource}`;
}

/** Fault `bad-config` that names the rule. */
export function parsePolicy(value: unknown): AuditPolicy {
  const { kind, apiVersion, rules, omitStages, omitManagedFields } = recordOf(value);
  if (kind !== "Policy" || apiVersion !== "audit.k8s.io/v1") {
    throw new Fault("bad-config", "an audit policy must be a Policy of audit.k8s.io/v1");
  }
  if (!Array.isArray(rules) || rules.length === 0) throw new Fault("bad-config", "an audit policy must have rules");
  return {
    rules: rules.map(parseRule),
    omitStages: stagesOf(omitStages, "the policy"),
    omitManagedFields: omitManagedFields === true,
  };
}

const TEXT_LISTS = ["users", "userGroups", "verbs", "namespaces", "nonResourceURLs"] as const;

function parseRule(value: unknown, at: number): PolicyRule {
  const rule = recordOf(value);
  const where = `rule ${at + 1}`;
  const level = LEVELS.find((one) => one === rule["level"]);
  if (level === undefined)
    throw new Fault("bad-config", `${where} of the audit policy must have a level: ${LEVELS.join(", ")}`);
  const lists = TEXT_LISTS.map((field) => [field, textsOf(rule[field], `${where}, ${field}`)] as const);
  if (rule["nonResourceURLs"] !== undefined && (rule["resources"] ?? rule["namespaces"]) !== undefined) {
    throw new Fault("bad-config", `${where} of the audit policy is about resources or about URLs, not both`);
  }
  return {
    level,
    ...Object.fromEntries(lists),
    resources: resourcesOf(rule["resources"], where),
    omitStages: stagesOf(rule["omitStages"], where),
    ...(typeof rule["omitManagedFields"] === "boolean" ? { omitManagedFields: rule["omitManagedFields"] } : {}),
  };
}

function resourcesOf(value: unknown, where: string): readonly GroupResources[] {
  if (value === undefined) return [];
  if (!Array.isArray(value)) throw new Fault("bad-config", `${where} of the audit policy: resources must be a list`);
  return value.map((one) => {
    const { group = "", resources, resourceNames } = recordOf(one);
    if (typeof group !== "string") throw new Fault("bad-config", `${where} of the audit policy: group must be a text`);
    return {
      group,
      resources: textsOf(resources, `${where}, resources`),
      resourceNames: textsOf(resourceNames, `${where}, resourceNames`),
    };
  });
}

function stagesOf(value: unknown, where: string): readonly AuditStage[] {
  return textsOf(value, `${where}, omitStages`).map((text) => {
    const stage = STAGE_NAMES.find((one) => one === text);
    if (stage === undefined) throw new Fault("bad-config", `${where} of the audit policy omits an unknown stage`);
    return stage;
  });
}

function textsOf(value: unknown, where: string): readonly string[] {
  if (value === undefined || value === null) return [];
  if (Array.isArray(value) && value.every((one) => typeof one === "string")) return value;
  throw new Fault("bad-config", `${where} of the audit policy must be a list of texts`);
}

function recordOf(value: unknown): Readonly<Record<string, unknown>> {
  const isRecord = typeof value === "object" && value !== null && !Array.isArray(value);
  return isRecord ? (value as Readonly<Record<string, unknown>>) : {};
}
