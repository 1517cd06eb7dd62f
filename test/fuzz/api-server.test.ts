// Everything a stranger may send: it is refused with a fault of the right kind or understood, and nothing else happens.

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parseRequestInfo } from "../../src/apiserver/entry/request-info.ts";
import { parseTarget } from "../../src/apiserver/entry/target.ts";
import { applyJsonPatch, applyMergePatch } from "../../src/apiserver/verbs/patch/json-patch.ts";
import { type Json, parseJson } from "../../src/kernel/json/index.ts";
import { isFault } from "../../src/kernel/outcome/index.ts";

const RUNS = { numRuns: 500 };

function faultOr<T>(run: () => T): T | undefined {
  try {
    return run();
  } catch (error) {
    expect(isFault(error)).toBe(true);
    return undefined;
  }
}

const segment = fc.oneof(
  fc.constantFrom(
    "api",
    "apis",
    "v1",
    "namespaces",
    "watch",
    "proxy",
    "secrets",
    "status",
    "",
    ".",
    "..",
    "%2f",
    "%2e%2e",
    "%00",
    "%",
  ),
  fc.string({ maxLength: 8 }),
);
const target = fc
  .tuple(fc.array(segment, { maxLength: 8 }), fc.string({ maxLength: 30 }))
  .map(([segments, query]) => `/${segments.join("/")}${query === "" ? "" : `?${query}`}`);
const method = fc.constantFrom("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "constructor", "__proto__");

describe("the request parser", () => {
  it("never lets a segment hold a slash, a dot segment or a control character", () => {
    fc.assert(
      fc.property(method, target, (verb, text) => {
        const parsed = faultOr(() => parseTarget(text));
        if (parsed === undefined) return;
        const info = faultOr(() => parseRequestInfo(verb, parsed.segments, parsed.query));
        if (info === undefined) return;
        for (const part of [info.namespace, info.name, info.resource, info.subresource]) {
          expect(part).not.toMatch(/\//);
          expect([".", ".."]).not.toContain(part);
        }
        expect(typeof info.verb).toBe("string");
        if (info.isResource)
          expect([
            "create",
            "get",
            "list",
            "watch",
            "update",
            "patch",
            "delete",
            "deletecollection",
            "proxy",
            "",
          ]).toContain(info.verb);
      }),
      RUNS,
    );
  });

  it("parses any bytes as JSON or refuses them", () => {
    fc.assert(
      fc.property(fc.uint8Array(), (bytes) => {
        faultOr(() => parseJson(bytes));
      }),
      RUNS,
    );
  });
});

// JSON has no negative zero.
const json = fc.jsonValue({ maxDepth: 4 }).map((value): Json => JSON.parse(JSON.stringify(value)));
const pointer = fc
  .array(fc.constantFrom("a", "b", "0", "1", "-", "~0", "~1", "", "__proto__", "constructor"), { maxLength: 4 })
  .map((tokens) => tokens.map((token) => `/${token}`).join(""));
const operation = fc.record({
  op: fc.constantFrom("add", "remove", "replace", "move", "copy", "test"),
  path: pointer,
  from: pointer,
  value: json,
});

describe("patches", () => {
  it("change nothing but their result", () => {
    fc.assert(
      fc.property(json, fc.array(operation, { maxLength: 6 }), (document, operations) => {
        const before = JSON.stringify(document);
        const result = faultOr(() => applyJsonPatch(document, operations as unknown as Json));
        expect(JSON.stringify(document)).toBe(before);
        if (result !== undefined) expect(JSON.parse(JSON.stringify(result))).toEqual(result);
        expect(Object.keys(Object.prototype)).toEqual([]);
      }),
      RUNS,
    );
  });

  it("of the merge kind leave no null behind that they brought, and are idempotent", () => {
    fc.assert(
      fc.property(json, json, (document, patch) => {
        const once = applyMergePatch(document, patch);
        expect(applyMergePatch(once, patch)).toEqual(once);
        expect(Object.keys(Object.prototype)).toEqual([]);
      }),
      RUNS,
    );
  });
});
