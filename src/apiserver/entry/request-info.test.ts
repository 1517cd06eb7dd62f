import { describe, expect, it } from "vitest";
import { parseRequestInfo, type RequestInfo } from "./request-info.ts";
import { parseTarget } from "./target.ts";

function infoOf(method: string, target: string): RequestInfo {
  const { segments, query } = parseTarget(target);
  return parseRequestInfo(method, segments, query);
}

const SECRETS = "/api/v1/namespaces/ns/secrets";
const CSRS = "/apis/certificates.k8s.io/v1/certificatesigningrequests";

const RESOURCES: Record<string, [string, string, Partial<RequestInfo>]> = {
  "a list over all namespaces": [
    "GET",
    "/api/v1/secrets",
    { verb: "list", resource: "secrets", namespace: "", name: "" },
  ],
  "a list in one namespace": ["GET", SECRETS, { verb: "list", resource: "secrets", namespace: "ns" }],
  "a get": ["GET", `${SECRETS}/a`, { verb: "get", name: "a", namespace: "ns" }],
  "HEAD is a get": ["HEAD", `${SECRETS}/a`, { verb: "get", name: "a" }],
  "a create": ["POST", SECRETS, { verb: "create", name: "" }],
  "an update": ["PUT", `${SECRETS}/a`, { verb: "update", name: "a" }],
  "a patch": ["PATCH", `${SECRETS}/a`, { verb: "patch" }],
  "a delete": ["DELETE", `${SECRETS}/a`, { verb: "delete" }],
  "a delete without a name is a deletecollection": ["DELETE", SECRETS, { verb: "deletecollection" }],
  "a watch": ["GET", `${SECRETS}?watch=true`, { verb: "watch" }],
  "watch=1 is a watch": ["GET", `${SECRETS}?watch=1`, { verb: "watch" }],
  "watch=false is a list": ["GET", `${SECRETS}?watch=false`, { verb: "list" }],
  "watch=0 is a list": ["GET", `${SECRETS}?watch=0`, { verb: "list" }],
  "the first of two watch parameters counts": ["GET", `${SECRETS}?watch=false&watch=true`, { verb: "list" }],
  "a named watch parameter does not turn a get": ["GET", `${SECRETS}/a?watch=true`, { verb: "get" }],
  "an old-style watch": ["GET", "/api/v1/watch/namespaces/ns/secrets", { verb: "watch", resource: "secrets" }],
  "an old-style watch of one object": [
    "GET",
    "/api/v1/watch/nodes/n1",
    { verb: "watch", resource: "nodes", name: "n1" },
  ],
  "an unknown method has no verb": ["BREW", SECRETS, { verb: "" }],
  "a group": ["GET", CSRS, { group: "certificates.k8s.io", version: "v1", resource: "certificatesigningrequests" }],
  "a subresource": ["PUT", `${CSRS}/x/approval`, { verb: "update", name: "x", subresource: "approval" }],
  "a namespace itself carries its name twice": [
    "GET",
    "/api/v1/namespaces/ns",
    { resource: "namespaces", name: "ns", namespace: "ns" },
  ],
  "all namespaces": ["GET", "/api/v1/namespaces", { verb: "list", resource: "namespaces", namespace: "" }],
  "the status of a namespace": [
    "PUT",
    "/api/v1/namespaces/ns/status",
    { resource: "namespaces", name: "ns", subresource: "status" },
  ],
  "a field selector for one name is that name": [
    "GET",
    `${SECRETS}?fieldSelector=metadata.name%3Da`,
    { verb: "list", name: "a" },
  ],
  "also for a watch": ["GET", `${SECRETS}?watch=1&fieldSelector=metadata.name%3Da`, { verb: "watch", name: "a" }],
  "a field selector that excludes a name is none": ["GET", `${SECRETS}?fieldSelector=metadata.name!%3Da`, { name: "" }],
  "a name that is no path segment is none": ["GET", `${SECRETS}?fieldSelector=metadata.name%3D..`, { name: "" }],
  "a selector does not name the object of a deletecollection": [
    "DELETE",
    `${SECRETS}?fieldSelector=metadata.name%3Da`,
    { verb: "deletecollection", name: "" },
  ],
  "slashes at the end do not count": ["GET", `${SECRETS}/`, { verb: "list", resource: "secrets" }],
  "names keep colons and spaces": ["GET", `${CSRS}/system%3Anode%3Ax%20y`, { name: "system:node:x y" }],
};

describe("a request about a resource", () => {
  it.each(Object.entries(RESOURCES))("%s", (_name, [method, target, expected]) => {
    expect(infoOf(method, target)).toMatchObject({ isResource: true, ...expected });
  });

  it("passes the selectors on, as far as they parse", () => {
    const info = infoOf("GET", "/api/v1/pods?fieldSelector=spec.nodeName%3Dn1&labelSelector=a%3D%3D%3D");
    expect(info.fieldRequirements).toEqual([{ field: "spec.nodeName", operator: "=", value: "n1" }]);
    expect(info.labelRequirements).toEqual([]);
  });

  it("passes no selectors on for an old-style watch", () => {
    expect(infoOf("GET", "/api/v1/watch/pods?fieldSelector=spec.nodeName%3Dn1").fieldRequirements).toEqual([]);
  });
});

const OTHERS: Record<string, [string, string, string]> = {
  "the root": ["GET", "/", "get"],
  "/version": ["GET", "/version", "get"],
  "/api alone": ["GET", "/api", "get"],
  "/api/v1 alone": ["GET", "/api/v1", "get"],
  "/apis/group/version alone": ["GET", "/apis/certificates.k8s.io/v1", "get"],
  "a path that only looks like the API": ["POST", "/healthz/api/v1/secrets", "post"],
};

describe("a request about no resource", () => {
  it.each(Object.entries(OTHERS))("%s", (_name, [method, target, verb]) => {
    expect(infoOf(method, target)).toMatchObject({ isResource: false, verb, path: target });
  });
});

describe("a path that tries to be two things", () => {
  const refused = {
    "dot segments": "/api/v1/namespaces/a/../b/secrets",
    "encoded dot segments": "/api/v1/namespaces/a/%2e%2e/b/secrets",
    "an encoded slash": "/api/v1/namespaces/a%2fsecrets",
    "a NUL": "/api/v1/nodes/a%00b",
    "a line feed": "/api/v1/nodes/a%0ab",
    "broken percent-encoding": "/api/v1/nodes/%zz",
    "broken UTF-8": "/api/v1/nodes/%ff",
    "an absolute target": "http://elsewhere/api/v1/nodes",
    "an authority": "elsewhere:443",
  };
  it.each(Object.entries(refused))("is refused: %s", (_name, target) => {
    expect(() => infoOf("GET", target)).toThrow(expect.objectContaining({ code: "malformed" }));
  });

  it("is not decoded twice", () => {
    expect(infoOf("GET", "/api/v1/nodes/%252e%252e").name).toBe("%2e%2e");
  });

  it("is not collapsed: empty segments stay what they are", () => {
    expect(infoOf("GET", "/api//v1/secrets")).toMatchObject({ version: "", resource: "v1", name: "secrets" });
  });
});
