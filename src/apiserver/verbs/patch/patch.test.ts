import { describe, expect, it } from "vitest";
import type { Json } from "../../../kernel/json/index.ts";
import { applyJsonPatch, applyMergePatch } from "./json-patch.ts";

// RFC 7396, appendix A.
const MERGES: readonly (readonly [Json, Json, Json])[] = [
  [{ a: "b" }, { a: "c" }, { a: "c" }],
  [{ a: "b" }, { b: "c" }, { a: "b", b: "c" }],
  [{ a: "b" }, { a: null }, {}],
  [{ a: "b", b: "c" }, { a: null }, { b: "c" }],
  [{ a: ["b"] }, { a: "c" }, { a: "c" }],
  [{ a: "c" }, { a: ["b"] }, { a: ["b"] }],
  [{ a: { b: "c" } }, { a: { b: "d", c: null } }, { a: { b: "d" } }],
  [{ a: [{ b: "c" }] }, { a: [1] }, { a: [1] }],
  [
    ["a", "b"],
    ["c", "d"],
    ["c", "d"],
  ],
  [{ a: "b" }, ["c"], ["c"]],
  [{ a: "foo" }, null, null],
  [{ a: "foo" }, "bar", "bar"],
  [{ e: null }, { a: 1 }, { e: null, a: 1 }],
  [[1, 2], { a: "b", c: null }, { a: "b" }],
  [{}, { a: { bb: { ccc: null } } }, { a: { bb: {} } }],
];

describe("JSON merge patch", () => {
  it.each(MERGES)("%j with %j is %j", (target, patch, expected) => {
    expect(applyMergePatch(target, patch)).toEqual(expected);
  });

  it("does not touch what it is given", () => {
    const target = Object.freeze({ a: Object.freeze({ b: 1 }) });
    expect(applyMergePatch(target, { a: { b: 2 } })).toEqual({ a: { b: 2 } });
  });

  it("cannot reach a prototype", () => {
    const patch = JSON.parse('{"__proto__":{"polluted":true},"constructor":{"prototype":{"polluted":true}}}') as Json;
    applyMergePatch({}, patch);
    expect(({} as { polluted?: boolean }).polluted).toBeUndefined();
  });
});

// RFC 6902, appendix A, and what it says in its text.
const PATCHES: Record<string, readonly [Json, Json, Json]> = {
  "adds a member": [{ foo: "bar" }, [{ op: "add", path: "/baz", value: "qux" }], { foo: "bar", baz: "qux" }],
  "adds an element": [{ foo: ["bar"] }, [{ op: "add", path: "/foo/0", value: "qux" }], { foo: ["qux", "bar"] }],
  "adds at the end": [{ foo: ["bar"] }, [{ op: "add", path: "/foo/-", value: ["x"] }], { foo: ["bar", ["x"]] }],
  "adds over a member": [{ foo: 1 }, [{ op: "add", path: "/foo", value: 2 }], { foo: 2 }],
  "removes a member": [{ baz: 1, foo: 2 }, [{ op: "remove", path: "/baz" }], { foo: 2 }],
  "removes an element": [{ foo: [1, 2, 3] }, [{ op: "remove", path: "/foo/1" }], { foo: [1, 3] }],
  "replaces a value": [{ baz: 1 }, [{ op: "replace", path: "/baz", value: 2 }], { baz: 2 }],
  "moves a value": [{ a: { x: 1 }, b: {} }, [{ op: "move", from: "/a/x", path: "/b/y" }], { a: {}, b: { y: 1 } }],
  "moves an element": [[1, 2, 3], [{ op: "move", from: "/0", path: "/2" }], [2, 3, 1]],
  "copies a value": [{ a: { x: 1 } }, [{ op: "copy", from: "/a", path: "/b" }], { a: { x: 1 }, b: { x: 1 } }],
  "tests a value": [{ a: { x: 1, y: 2 } }, [{ op: "test", path: "/a", value: { y: 2, x: 1 } }], { a: { x: 1, y: 2 } }],
  "reads escapes": [{ "a/b": { "~": 1 } }, [{ op: "replace", path: "/a~1b/~0", value: 2 }], { "a/b": { "~": 2 } }],
  "replaces the document": [{ a: 1 }, [{ op: "replace", path: "", value: [] }], []],
  "has an empty key": [{}, [{ op: "add", path: "/", value: 1 }], { "": 1 }],
};

const BAD: Record<string, readonly [Json, Json, string]> = {
  "a path that is not there": [{}, [{ op: "remove", path: "/a" }], "invalid"],
  "a parent that is not there": [{}, [{ op: "add", path: "/a/b", value: 1 }], "invalid"],
  "an index out of range": [[1], [{ op: "add", path: "/2", value: 1 }], "invalid"],
  "an index with a leading zero": [[1, 2], [{ op: "remove", path: "/01" }], "invalid"],
  "a negative index": [[1], [{ op: "remove", path: "/-1" }], "invalid"],
  "a test that fails": [{ a: 1 }, [{ op: "test", path: "/a", value: "1" }], "invalid"],
  "a move into itself": [{ a: {} }, [{ op: "move", from: "/a", path: "/a/b" }], "invalid"],
  "an inherited member": [{}, [{ op: "test", path: "/constructor/name", value: "Object" }], "invalid"],
  "the removal of everything": [{}, [{ op: "remove", path: "" }], "invalid"],
  "an unknown operation": [{}, [{ op: "spoil", path: "/a" }], "invalid"],
  "no list": [{}, { op: "add" }, "malformed"],
  "an operation that is no object": [{}, [1], "malformed"],
  "a path that is no pointer": [{}, [{ op: "remove", path: "a" }], "malformed"],
  "a bad escape": [{}, [{ op: "remove", path: "/a~2" }], "malformed"],
  "no value": [{}, [{ op: "add", path: "/a" }], "malformed"],
  "a path to the prototype": [{}, [{ op: "add", path: "/__proto__/polluted", value: 1 }], "malformed"],
  "a source in the prototype": [{}, [{ op: "copy", from: "/__proto__", path: "/a" }], "malformed"],
};

describe("JSON patch", () => {
  it.each(Object.entries(PATCHES))("%s", (_name, [document, patch, expected]) => {
    expect(applyJsonPatch(document, patch)).toEqual(expected);
  });

  it.each(Object.entries(BAD))("refuses %s", (_name, [document, patch, code]) => {
    expect(() => applyJsonPatch(document, patch)).toThrow(expect.objectContaining({ code }));
  });

  it("refuses more operations than the limit", () => {
    const patch = Array.from({ length: 10_001 }, () => ({ op: "add", path: "/a", value: 1 }));
    expect(() => applyJsonPatch({}, patch)).toThrow(expect.objectContaining({ code: "limit-exceeded" }));
  });

  it("does not let copies double a document without end", () => {
    const patch = Array.from({ length: 60 }, () => ({ op: "copy", from: "/a", path: "/a/-" }));
    expect(() => applyJsonPatch({ a: [["x".repeat(1000)]] }, patch)).toThrow(
      expect.objectContaining({ code: "limit-exceeded" }),
    );
  });
});

describe("a patch that is dear on purpose", () => {
  const many = (count: number) => [...Array(count).keys()];

  it("of ten thousand moves out of a long list ends: what they push aside is counted by `from` too", () => {
    const document = { long: many(40_000) };
    const moves = many(9_900).map(() => ({ op: "move", from: "/long/0", path: "/last" }));
    expect(() => applyJsonPatch(document, moves)).toThrow("a JSON patch may move 20000000 list items in sum");
    const fromTheEnd = many(9_900).map((n) => ({ op: "move", from: `/long/${39_999 - n}`, path: "/last" }));
    expect(applyJsonPatch(document, fromTheEnd)).toMatchObject({ last: 30_100 });
    expect(document.long).toHaveLength(40_000);
  });

  it("of ten thousand changes in one large map costs the changes, not the map each time", () => {
    const document = { data: Object.fromEntries(many(40_000).map((n) => [`k${n}`, "v"])) };
    const changes = many(10_000).map((n) => ({ op: "replace", path: `/data/k${n}`, value: "w" }));
    expect(applyJsonPatch(document, changes)).toMatchObject({ data: { k0: "w", k9999: "w", k10000: "v" } });
    expect(document.data["k0"]).toBe("v");
  });

  it("copies what it copies: a change of one place does not reach the other", () => {
    const patch = [
      { op: "add", path: "/a/x", value: 1 },
      { op: "copy", from: "/a", path: "/b" },
      { op: "add", path: "/b/x", value: 2 },
    ];
    expect(applyJsonPatch({ a: {} }, patch)).toEqual({ a: { x: 1 }, b: { x: 2 } });
  });
});
