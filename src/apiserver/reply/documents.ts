// The paths that are not about a resource: discovery, version, OpenAPI. Every other path is 404 in plain text, which
// clients read as "this API is not served".

import { apiVersionOf } from "../../api/meta/index.ts";
import { encodeHex, encodeUtf8 } from "../../kernel/bytes/index.ts";
import { sha256 } from "../../kernel/crypto/index.ts";
import { headerValue } from "../../platform/http/index.ts";
import type { Answer, Call } from "../call.ts";
import { negotiate } from "../entry/accept.ts";
import type { Registry } from "../resources/registry.ts";
import { aggregatedDiscovery, legacyGroup, legacyGroups, legacyResources, legacyVersions } from "./discovery.ts";
import { findOpenApi } from "./openapi/index.ts";

export const NOT_FOUND: Answer = { kind: "text", status: 404, text: "404 page not found\n" };

const AGGREGATED_TYPE = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList";

/** The Kubernetes version this server behaves like; clients compare it with their own. */
const VERSION = {
  major: "1",
  minor: "36",
  emulationMajor: "1",
  emulationMinor: "36",
  minCompatibilityMajor: "1",
  minCompatibilityMinor: "35",
  gitVersion: "v1.36.3",
  gitCommit: "",
  gitTreeState: "clean",
  buildDate: "1970-01-01T00:00:00Z",
  goVersion: "",
  compiler: "countersign",
  platform: "linux/amd64",
};

export function findDocument(call: Call, registry: Registry): Answer {
  const segments = call.info.path.replace(/^\/|\/$/g, "").split("/");
  const [first = "", ...rest] = segments;
  if (call.info.verb !== "get" && call.info.verb !== "head") return NOT_FOUND;
  if (first === "" && rest.length === 0) return rootPaths(registry);
  if (first === "version" && rest.length === 0) return { kind: "document", status: 200, body: VERSION };
  if (first === "api" || first === "apis") return discovery(call, registry, [first, ...rest]);
  if (first === "openapi") return findOpenApi(call, registry, rest) ?? NOT_FOUND;
  return NOT_FOUND;
}

/** Paths that do not follow from the kinds. */
const OTHER_PATHS: readonly string[] = [
  "/.well-known/openid-configuration",
  "/api",
  "/apis",
  "/healthz",
  "/livez",
  "/metrics",
  "/metrics/slis",
  "/openapi/v2",
  "/openapi/v3",
  "/openid/v1/jwks",
  "/readyz",
  "/version",
];

/** `kubectl get --raw /` lists the paths that are served. */
function rootPaths(registry: Registry): Answer {
  const versions = registry.strategies().map(({ resource }) => resource);
  const reviews = registry.reviews().map(({ resource }) => resource);
  const served = [...versions, ...reviews].flatMap((resource) => {
    const { group } = resource;
    if (group === "") return [`/api/${resource.version}`];
    return [`/apis/${group}`, `/apis/${apiVersionOf(resource)}`];
  });
  const all = [...OTHER_PATHS, ...served];
  return { kind: "document", status: 200, body: { paths: [...new Set(all)].sort() } };
}

function discovery(call: Call, registry: Registry, segments: readonly string[]): Answer {
  const [root, ...rest] = segments;
  if (rest.length === 0) return rootDiscovery(call, registry, root === "api" ? "api" : "apis");
  const [group = "", version = ""] = root === "api" ? ["", ...rest] : rest;
  const depth = root === "api" ? rest.length + 1 : rest.length;
  const body =
    depth === 1 ? legacyGroup(registry, group) : depth === 2 ? legacyResources(registry, group, version) : undefined;
  return body === undefined ? NOT_FOUND : { kind: "document", status: 200, body };
}

function rootDiscovery(call: Call, registry: Registry, root: "api" | "apis"): Answer {
  const { headers } = call.request;
  const { transform } = negotiate(headers, { formats: ["json"], transforms: ["APIGroupDiscoveryList"] });
  if (transform === undefined) {
    const host = headerValue(headers, "host") ?? "";
    return { kind: "document", status: 200, body: root === "api" ? legacyVersions(host) : legacyGroups(registry) };
  }
  const body = encodeUtf8(JSON.stringify(aggregatedDiscovery(registry, root)));
  const tag = `"${encodeHex(sha256(body)).toUpperCase()}"`;
  const shared = { etag: tag, vary: "Accept", "cache-control": "public", "audit-id": call.auditId };
  if (headerValue(headers, "if-none-match") === tag) {
    return { kind: "sent", http: { status: 304, headers: shared, body: new Uint8Array() } };
  }
  return { kind: "sent", http: { status: 200, headers: { ...shared, "content-type": AGGREGATED_TYPE }, body } };
}
