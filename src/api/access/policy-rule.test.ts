import { describe, expect, it } from "vitest";
import { ASKED, aRule } from "../../../test/builders/access.ts";
import { type Attributes, type PolicyRule, parseRule, ruleAllows } from "./index.ts";

const MATCHES: Record<string, [Partial<PolicyRule>, Partial<Attributes>, boolean]> = {
  "the very request": [{}, {}, true],
  "another verb": [{}, { verb: "list" }, false],
  "every verb": [{ verbs: ["*"] }, { verb: "anything" }, true],
  "another group": [{}, { group: "apps" }, false],
  "every group": [{ apiGroups: ["*"] }, { group: "apps" }, true],
  "a resource does not cover its subresources": [{}, { subresource: "status" }, false],
  "a subresource by name": [{ resources: ["pods/status"] }, { subresource: "status" }, true],
  "a subresource of everything": [{ resources: ["*/status"] }, { subresource: "status" }, true],
  "a subresource of everything is not the thing": [{ resources: ["*/status"] }, {}, false],
  "resource/* is no wildcard": [{ resources: ["pods/*"] }, { subresource: "status" }, false],
  "everything covers subresources": [{ resources: ["*"] }, { subresource: "status" }, true],
  "a name that is listed": [{ resourceNames: ["p"] }, {}, true],
  "a name that is not": [{ resourceNames: ["q"] }, {}, false],
  "names never match a request without one": [{ resourceNames: ["p"] }, { name: "" }, false],
};

const URLS: Record<string, [string, string, boolean]> = {
  "the very path": ["/version", "/version", true],
  "a prefix": ["/apis/*", "/apis/apps", true],
  "a prefix needs its slash": ["/apis/*", "/apis", false],
  "a star in the middle is a star": ["/a/*/b", "/a/x/b", false],
  everything: ["*", "/secret/path", true],
  "all stars at the end are one": ["/a/**", "/a/b", true],
};

describe("a rule", () => {
  it.each(Object.entries(MATCHES))("%s", (_name, [changed, asked, expected]) => {
    expect(ruleAllows(aRule(changed), { ...ASKED, ...asked })).toBe(expected);
  });

  it.each(Object.entries(URLS))("about URLs: %s", (_name, [pattern, path, expected]) => {
    const asked = { ...ASKED, isResource: false, path };
    expect(ruleAllows({ verbs: ["get"], nonResourceURLs: [pattern] }, asked)).toBe(expected);
  });

  it("about resources says nothing about URLs", () => {
    expect(ruleAllows(aRule({ resources: ["*"], apiGroups: ["*"] }), { ...ASKED, isResource: false, path: "/x" })).toBe(
      false,
    );
  });
});

describe("the notation of rules", () => {
  it("says a rule in a line", () => {
    expect(parseRule("read,create core,events.k8s.io events")).toEqual({
      verbs: ["create", "get", "list", "watch"],
      apiGroups: ["", "events.k8s.io"],
      resources: ["events"],
    });
    expect(parseRule("approve certificates.k8s.io signers kubernetes.io/kubelet-serving")).toEqual({
      verbs: ["approve"],
      apiGroups: ["certificates.k8s.io"],
      resources: ["signers"],
      resourceNames: ["kubernetes.io/kubelet-serving"],
    });
    expect(parseRule("get url /api,/api/*")).toEqual({ verbs: ["get"], nonResourceURLs: ["/api", "/api/*"] });
  });
});
