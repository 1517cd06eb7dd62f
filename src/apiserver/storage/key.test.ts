import { describe, expect, it } from "vitest";
import { CSRS, SECRETS } from "../../api/meta/index.ts";
import { bucketOf, keyOf, prefixOf } from "./key.ts";

describe("keys", () => {
  it("name group, resource, namespace and object, and lie under the prefixes of both", () => {
    expect(keyOf(SECRETS, { namespace: "kube-system", name: "s" })).toBe("//secrets/kube-system/s");
    expect(keyOf(CSRS, { name: "c" })).toBe("/certificates.k8s.io/certificatesigningrequests//c");
    expect(prefixOf(SECRETS)).toBe("//secrets/");
    expect(prefixOf(SECRETS, "kube-system")).toBe("//secrets/kube-system/");
  });

  it("never lead into another namespace", () => {
    for (const place of [
      { namespace: "a/b", name: "c" },
      { namespace: "a", name: "../b/c" },
    ]) {
      expect(() => keyOf(SECRETS, place)).toThrow(expect.objectContaining({ code: "malformed" }));
    }
  });

  it.each([
    ["//secrets/kube-system/s", "//secrets/"],
    ["//secrets/", "//secrets/"],
    ["//secrets", undefined],
    ["/", undefined],
    ["", undefined],
  ])("%j belongs to the bucket %j", (key, bucket) => {
    expect(bucketOf(key)).toBe(bucket);
  });
});
