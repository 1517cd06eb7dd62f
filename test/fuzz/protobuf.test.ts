// Protobuf, YAML and JSON of strangers: spoiled bodies of every kind end in a value or a Fault, and what was read can
// be told in protobuf to the next client.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { KubeObject } from "../../src/api/meta/index.ts";
import { encodeProtobuf, findMessage, type KindName, parseProtobuf } from "../../src/apiserver/encoding/index.ts";
import { parseYaml } from "../../src/apiserver/entry/yaml.ts";
import { encodeYaml } from "../../src/apiserver/reply/yaml.ts";
import { decodeObject } from "../../src/apiserver/verbs/decode.ts";
import { checkJson, type Json, type JsonObject } from "../../src/kernel/json/index.ts";
import { fullValue } from "../builders/message-value.ts";
import { PROTOBUF_KINDS } from "../builders/protobuf-kinds.ts";
import { outcomeOf, runs, spoiled } from "./fuzz.ts";

const FAULTS = ["value", "malformed", "limit-exceeded"];
const CONFIG_MAP: KindName = { apiVersion: "v1", kind: "ConfigMap" };

const bodies = PROTOBUF_KINDS.flatMap((kind) => {
  const message = findMessage(kind);
  return message === undefined ? [] : [encodeProtobuf({ ...kind, ...(fullValue(message) as object) })];
}).filter((bytes) => bytes.length < 20_000);

/** Reads a body and writes what it has read: once read, everything can be told to the next client. */
function readAndWrite(bytes: Uint8Array): void {
  const object = parseProtobuf(bytes, CONFIG_MAP);
  checkJson(object);
  encodeProtobuf(object as unknown as KindName);
  // Nothing in it gets lost in JSON.
  expect(JSON.stringify(JSON.parse(JSON.stringify(object)))).toBe(JSON.stringify(object));
}

describe("hostile protobuf", () => {
  it("that was once a valid body ends in a value or a fault", () => {
    fc.assert(
      fc.property(spoiled(bodies), (bytes) => FAULTS.includes(outcomeOf(() => readAndWrite(bytes)))),
      runs(2000),
    );
    expect(Object.keys(Object.prototype)).toEqual([]);
  });

  it("of random bytes in an envelope ends in a value or a fault", () => {
    const inEnvelope = fc.uint8Array({ maxLength: 60 }).map((raw) => {
      return Uint8Array.from([0x6b, 0x38, 0x73, 0, 0x12, raw.length, ...raw]);
    });
    fc.assert(
      fc.property(inEnvelope, (bytes) => FAULTS.includes(outcomeOf(() => readAndWrite(bytes)))),
      runs(1000),
    );
  });
});

describe("hostile JSON", () => {
  const odd = fc.oneof(
    fc.jsonValue({ maxDepth: 1 }),
    fc.constantFrom(1.5, 2 ** 40, -1, "x", "2026-13-01T00:00:00Z", "-_-_", [], {}, [null], [1], { a: 1 }, true),
  ) as fc.Arbitrary<Json>;
  const wholes = PROTOBUF_KINDS.filter(({ kind }) => !kind.endsWith("List")).map((kind) => {
    const message = findMessage(kind);
    return { ...kind, ...(message === undefined ? {} : (fullValue(message) as JsonObject)) };
  });

  it("that the decoder lets through can be told in protobuf", () => {
    const spoiltObject = fc.constantFrom(...wholes).chain((whole) => {
      return fc.tuple(fc.constantFrom(...pathsOf(whole)), odd).map(([path, value]) => replaceAt(whole, path, value));
    });
    fc.assert(
      fc.property(spoiltObject, (value) => {
        let object: KubeObject | undefined;
        const resource = resourceOf(value as unknown as KindName);
        const outcome = outcomeOf(() => {
          object = decodeObject(value, { resource });
        });
        expect(FAULTS).toContain(outcome);
        // The decoder is the only check before storage: one object that cannot be written would spoil every list.
        if (object !== undefined) encodeProtobuf(object);
      }),
      runs(1000),
    );
  });

  it("of every field is what the decoder takes", () => {
    for (const whole of wholes) {
      expect(decodeObject(whole, { resource: resourceOf(whole) })).toMatchObject(whole);
    }
  });
});

function resourceOf({ apiVersion, kind }: KindName) {
  const [version = "", group = ""] = apiVersion.split("/").reverse();
  return { group, version, kind, plural: "", namespaced: false };
}

type Path = readonly string[];

/** Every place below the kind. */
function pathsOf(value: Json, at: Path = []): readonly Path[] {
  const inner = typeof value !== "object" || value === null ? [] : Object.entries(value);
  const below = inner.filter(([key]) => at.length > 0 || (key !== "kind" && key !== "apiVersion"));
  return [...(at.length === 0 ? [] : [at]), ...below.flatMap(([key, one]) => pathsOf(one, [...at, key]))];
}

function replaceAt(value: Json, [key, ...rest]: Path, by: Json): Json {
  if (key === undefined) return by;
  const next = (one: Json, name: string) => (name === key ? replaceAt(one, rest, by) : one);
  if (Array.isArray(value)) return value.map((one: Json, i) => next(one, String(i)));
  return Object.fromEntries(Object.entries(value as JsonObject).map(([name, one]) => [name, next(one, name)]));
}

describe("hostile YAML", () => {
  const examples = ["a: {b: [1, 'x', \"y\"]}\nc:\n- d: |\n    text\n", "a: &x 1\nb: *x\n", "? !!set {a}\n: <<: {}\n"];
  it("ends in a value or a fault", () => {
    const hostile = fc.oneof(
      fc.string({ unit: "binary" }).map((text) => Buffer.from(text)),
      spoiled(examples.map((text) => Uint8Array.from(Buffer.from(text)))),
    );
    fc.assert(
      fc.property(hostile, (bytes) => FAULTS.includes(outcomeOf(() => parseYaml(bytes)))),
      runs(150),
    );
  });

  it("written by us is read by us as the same value", () => {
    const key = fc.string({ unit: "grapheme" }).filter((text) => text !== "__proto__");
    const { json } = fc.letrec((tie) => ({
      json: fc.oneof(
        { maxDepth: 4, withCrossShrink: true },
        fc.oneof(
          fc.constant(null),
          fc.boolean(),
          fc.integer(),
          fc.double({ noNaN: true, noDefaultInfinity: true }),
          key,
        ),
        fc.array(tie("json"), { maxLength: 3 }),
        fc.dictionary(key, tie("json"), { maxKeys: 3, noNullPrototype: true }),
      ),
    }));
    fc.assert(
      fc.property(json, (value) => {
        const plain = JSON.parse(JSON.stringify(value));
        expect(parseYaml(Buffer.from(encodeYaml(plain)))).toEqual(plain);
      }),
      runs(100),
    );
  });
});
