// JSON values of a kind, made from its protobuf message: one with every field set, for golden bytes, and random ones.

import fc from "fast-check";
import type { Message, MessageField } from "../../src/apiserver/encoding/index.ts";
import type { Json } from "../../src/kernel/json/index.ts";

/** Messages that hold themselves (schemas) end here. */
const MAX_DEPTH = 6;

const FORMS: Readonly<Record<string, (seed: number) => Json>> = {
  Time: (seed) => `2026-01-02T03:04:${String(seed % 60).padStart(2, "0")}Z`,
  MicroTime: (seed) => `2026-01-02T03:04:05.${String(seed).padStart(6, "0")}Z`,
  Quantity: (seed) => String(seed),
  IntOrString: (seed) => (seed % 2 === 0 ? seed : `port-${seed}`),
  Raw: (seed) => ({ raw: seed }),
  FieldsV1: (seed) => ({ "f:metadata": { [`f:n${seed}`]: {} } }),
  Strings: (seed) => [`a${seed}`, ""],
};

/** Every field set, each with a value of its own. The same for the same message, always. */
export function fullValue(message: Message): Json {
  let seed = 0;

  function scalar({ scalar: type, number }: MessageField): Json {
    seed += 1;
    if (type === "string") return `s${seed}`;
    if (type === "bytes") return Buffer.from(`b${seed}`).toString("base64");
    if (type === "bool") return true;
    return type === "double" ? seed + 0.5 : number % 2 === 0 ? seed : -seed;
  }

  function whole(of: Message, outer: readonly Message[]): Json {
    seed += 1;
    const form = FORMS[of.name];
    if (of.form !== undefined && form !== undefined) return form(seed);
    // A choice between a schema and something else: the schema.
    if (of.form !== undefined) return { description: `of ${of.name}` };
    // A schema holds schemas: the inner ones stay empty.
    const fields = outer.includes(of) ? [] : of.fields;
    return Object.assign({}, ...fields.map((field) => part(field, [...outer, of])));
  }

  function part(field: MessageField, outer: readonly Message[]): Json {
    if (field.name === undefined) return whole(field.message(), outer);
    const one = () => (field.scalar === undefined ? whole(field.message(), outer) : scalar(field));
    if (field.shape === "list") return { [field.name]: field.scalar === undefined ? [one()] : [one(), one()] };
    return { [field.name]: field.shape === "map" ? { b: one(), a: one() } : one() };
  }

  return whole(message, []);
}

const text = fc.oneof(fc.string({ maxLength: 8, unit: "grapheme" }), fc.constantFrom("", "a", "true"));
const seconds = fc.integer({ min: -62_135_596_799, max: 253_402_300_799 });

const RANDOM_FORMS: Readonly<Record<string, fc.Arbitrary<Json>>> = {
  Time: seconds.map((at) => `${new Date(at * 1000).toISOString().slice(0, 19)}Z`),
  MicroTime: fc.tuple(seconds, fc.integer({ min: 0, max: 999_999 })).map(([at, micros]) => {
    return `${new Date(at * 1000).toISOString().slice(0, 19)}.${String(micros).padStart(6, "0")}Z`;
  }),
  Quantity: fc.constantFrom("0", "1", "100m", "2Gi", "1e3"),
  IntOrString: fc.oneof(fc.integer(), text),
  Raw: fc.jsonValue({ maxDepth: 2 }) as fc.Arbitrary<Json>,
  FieldsV1: fc.constant({ "f:spec": {} }),
  Strings: fc.array(text, { maxLength: 3 }),
};

const SCALARS: Readonly<Record<NonNullable<MessageField["scalar"]>, fc.Arbitrary<Json>>> = {
  string: text,
  bytes: fc.uint8Array({ maxLength: 8 }).map((bytes) => Buffer.from(bytes).toString("base64")),
  json: fc.jsonValue({ maxDepth: 2 }) as fc.Arbitrary<Json>,
  bool: fc.boolean(),
  int32: fc.integer(),
  int64: fc.maxSafeInteger(),
  double: fc.double({ noNaN: true, noDefaultInfinity: true }).filter((value) => !Object.is(value, -0)),
};

/** Some fields set, at random. */
export function anyValue(message: Message, depth = 0): fc.Arbitrary<Json> {
  const form = message.form === undefined ? undefined : RANDOM_FORMS[message.name];
  if (form !== undefined) return form;
  if (message.form !== undefined) {
    const schema = message.fields.find((field) => field.name === "schema");
    return schema === undefined || depth > MAX_DEPTH ? fc.constant({}) : anyValue(schema.message(), depth + 1);
  }
  const fields = depth > MAX_DEPTH ? [] : message.fields;
  return fc
    .array(fc.constantFrom(...(fields.length === 0 ? [undefined] : fields)), { maxLength: depth < 3 ? 5 : 2 })
    .chain((chosen) => {
      const parts = [...new Set(chosen)].flatMap((field) => (field === undefined ? [] : [anyPart(field, depth)]));
      return parts.length === 0 ? fc.constant({}) : fc.tuple(...parts).map((all) => Object.assign({}, ...all) as Json);
    });
}

function anyPart(field: MessageField, depth: number): fc.Arbitrary<object> {
  if (field.name === undefined) return anyValue(field.message(), depth + 1) as fc.Arbitrary<object>;
  const { name, shape } = field;
  const one = field.scalar === undefined ? anyValue(field.message(), depth + 1) : SCALARS[field.scalar];
  const key = fc.constantFrom("a", "b", "c/d", "");
  const value =
    shape === "list"
      ? fc.array(one, { maxLength: 3 })
      : shape === "map"
        ? fc.dictionary(key, one, { maxKeys: 3 })
        : one;
  return value.map((made) => ({ [name]: made }));
}
