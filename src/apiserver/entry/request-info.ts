// Step 1, enter: method and target -> what is asked for, in the terms that authorizers and verbs share. Behaviour of
// k8s.io/apiserver/pkg/endpoints/request/requestinfo.go. Authorization and the verbs read only this value: there is no
// second reading of the path on which they could disagree.

import {
  type FieldSelector,
  type LabelSelector,
  parseFieldSelector,
  parseLabelSelector,
  requiredValue,
} from "../../api/meta/index.ts";
import { Fault, isFault } from "../../kernel/outcome/index.ts";
import { isTrue, type Query } from "./target.ts";

export interface RequestInfo {
  /** False for /version, /healthz, discovery and everything unknown. */
  readonly isResource: boolean;
  /** The decoded path. */
  readonly path: string;
  readonly verb: string;
  /** All below are empty when they do not apply. */
  readonly group: string;
  readonly version: string;
  readonly namespace: string;
  readonly resource: string;
  readonly subresource: string;
  readonly name: string;
  /** Resource, name, subresource and what follows; no endpoint of this server has more than three parts. */
  readonly parts: readonly string[];
  /** For list, watch and deletecollection: what the selectors require, as far as they parse. */
  readonly fieldRequirements: FieldSelector;
  readonly labelRequirements: LabelSelector;
}

/** The information of a request before entry has parsed it: no path, no verb, so nothing is allowed. */
export const NO_REQUEST_INFO: RequestInfo = {
  isResource: false,
  path: "",
  verb: "",
  group: "",
  version: "",
  namespace: "",
  resource: "",
  subresource: "",
  name: "",
  parts: [],
  fieldRequirements: [],
  labelRequirements: [],
};

const VERBS: Readonly<Record<string, string>> = {
  POST: "create",
  GET: "get",
  HEAD: "get",
  PUT: "update",
  PATCH: "patch",
  DELETE: "delete",
};
/** The old form /api/v1/watch/…: the first segment is the verb. */
const SEGMENT_VERBS: ReadonlySet<string> = new Set(["watch", "proxy"]);
const NAMESPACE_SUBRESOURCES: ReadonlySet<string> = new Set(["status", "finalize"]);

export function parseRequestInfo(method: string, segments: readonly string[], query: Query): RequestInfo {
  const path = `/${segments.join("/")}`;
  const trimmed = trimEmpty(segments);
  const versioned = afterPrefix(trimmed);
  if (versioned === undefined) return { ...NO_REQUEST_INFO, path, verb: method.toLowerCase() };
  const { group, version, rest } = versioned;
  const bySegment = SEGMENT_VERBS.has(rest[0] ?? "");
  if (bySegment && rest.length < 2) {
    throw new Fault("malformed", `unable to determine kind and namespace from url, ${path}`);
  }
  const located = locate(bySegment ? rest.slice(1) : rest);
  const verb = bySegment ? (rest[0] ?? "") : verbOf(method, located.name, query);
  const named = nameFromSelector({ verb, bySegment, name: located.name }, query);
  return {
    isResource: true,
    path,
    verb,
    group,
    version,
    ...located,
    name: named,
    ...(bySegment ? NO_REQUIREMENTS : requirementsOf(verb, query)),
  };
}

const NO_REQUIREMENTS = { fieldRequirements: [], labelRequirements: [] } as const;

function trimEmpty(segments: readonly string[]): readonly string[] {
  let start = 0;
  let end = segments.length;
  while (start < end && segments[start] === "") start += 1;
  while (end > start && segments[end - 1] === "") end -= 1;
  return segments.slice(start, end);
}

interface Versioned {
  readonly group: string;
  readonly version: string;
  readonly rest: readonly string[];
}

/** `/api/v1/x…` and `/apis/g/v/x…`; anything shorter is not about a resource. */
function afterPrefix(segments: readonly string[]): Versioned | undefined {
  const [prefix, first = "", second = ""] = segments;
  if (prefix === "api" && segments.length >= 3) return { group: "", version: first, rest: segments.slice(2) };
  if (prefix === "apis" && segments.length >= 4) return { group: first, version: second, rest: segments.slice(3) };
  return undefined;
}

function locate(
  rest: readonly string[],
): Pick<RequestInfo, "namespace" | "resource" | "subresource" | "name" | "parts"> {
  let parts = rest;
  let namespace = "";
  if (rest[0] === "namespaces" && rest.length > 1) {
    namespace = rest[1] ?? "";
    if (rest.length > 2 && !NAMESPACE_SUBRESOURCES.has(rest[2] ?? "")) parts = rest.slice(2);
  }
  const [resource = "", name = "", subresource = ""] = parts;
  return { namespace, resource, name, subresource, parts };
}

function verbOf(method: string, name: string, query: Query): string {
  const verb = Object.hasOwn(VERBS, method) ? (VERBS[method] ?? "") : "";
  if (name !== "") return verb;
  if (verb === "get") return isTrue(query.first("watch")) ? "watch" : "list";
  return verb === "delete" ? "deletecollection" : verb;
}

/**
 * A list or watch of `metadata.name=x` is a request for x: rules with resource names and the node authorizer rely on
 * it.
 */
function nameFromSelector(asked: { verb: string; bySegment: boolean; name: string }, query: Query): string {
  if (asked.bySegment || asked.name !== "" || (asked.verb !== "list" && asked.verb !== "watch")) return asked.name;
  const name = requiredValue(orNothing(parseFieldSelector, query.first("fieldSelector")), "metadata.name");
  return name !== undefined && isPathSegment(name) ? name : "";
}

function requirementsOf(verb: string, query: Query): Pick<RequestInfo, "fieldRequirements" | "labelRequirements"> {
  if (verb !== "list" && verb !== "watch" && verb !== "deletecollection") return NO_REQUIREMENTS;
  return {
    fieldRequirements: orNothing(parseFieldSelector, query.first("fieldSelector")),
    labelRequirements: orNothing(parseLabelSelector, query.first("labelSelector")),
  };
}

/**
 * A selector that does not parse requires nothing here, where only authorizers read it; the verb refuses it with the
 * reason.
 */
function orNothing<T>(parse: (text: string) => readonly T[], text = ""): readonly T[] {
  try {
    return parse(text);
  } catch (error) {
    if (isFault(error)) return [];
    throw error;
  }
}

function isPathSegment(name: string): boolean {
  return name !== "" && name !== "." && name !== ".." && !name.includes("/") && !name.includes("%");
}
