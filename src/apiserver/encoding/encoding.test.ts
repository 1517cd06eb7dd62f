import { readFileSync } from "node:fs";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { anyValue, fullValue } from "../../../test/builders/message-value.ts";
import { PROTOBUF_KINDS } from "../../../test/builders/protobuf-kinds.ts";
import { encodeHex, encodeUtf8, parseHex } from "../../kernel/bytes/index.ts";
import { sha256 } from "../../kernel/crypto/index.ts";
import type { Json, JsonObject } from "../../kernel/json/index.ts";
import { assert } from "../../kernel/outcome/index.ts";
import {
  encodeProtobuf,
  encodeProtobufEvent,
  findMessage,
  type KindName,
  type Message,
  parseProtobuf,
  typeProblem,
} from "./index.ts";
import { MAX_MESSAGE_DEPTH, MAX_VALUES } from "./wire-reader.ts";

const CONFIG_MAP: KindName = { apiVersion: "v1", kind: "ConfigMap" };
const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString("hex");
const messageOf = (kind: KindName): Message => {
  const message = findMessage(kind);
  assert(message !== undefined, `${kind.kind} has a message`);
  return message;
};
const encoded = (kind: KindName, value: Json) => encodeProtobuf({ ...kind, ...(value as JsonObject) });

// What Go writes for the same value; written by test/upstream/protobuf.test.ts.
const GOLDEN = JSON.parse(
  readFileSync(new URL("../../../test/golden/protobuf.json", import.meta.url), "utf8"),
) as Readonly<Record<string, string>>;

describe.each(PROTOBUF_KINDS)("$kind of $apiVersion", (kind) => {
  const message = messageOf(kind);

  it("with every field set has the bytes of Go", () => {
    const bytes = encoded(kind, fullValue(message));
    expect(encodeHex(sha256(bytes))).toBe(GOLDEN[`${kind.apiVersion} ${kind.kind}`]);
    expect(parseProtobuf(bytes, kind)).toEqual({ ...kind, ...(fullValue(message) as JsonObject) });
  });

  it("comes back as it was sent, whatever is set", () => {
    fc.assert(
      fc.property(anyValue(message), (value) => {
        // The first way drops empty values that Go does not tell and adds those that it does; the second changes
        // nothing.
        const read = parseProtobuf(encoded(kind, value), kind);
        expect(parseProtobuf(encoded(kind, read), kind)).toEqual(read);
      }),
      { numRuns: 10 },
    );
  });
});

describe("an envelope", () => {
  const bytes = encoded(CONFIG_MAP, { metadata: { name: "a" }, data: { k: "v" } });

  it("names the kind in front of the object", () => {
    const type = "0a0f0a0276311209436f6e6669674d6170";
    const meta = "0a110a016112001a0022002a00320038004200";
    const raw = `${meta}12060a016b120176`;
    expect(hex(bytes)).toBe(`6b387300${type}121b${raw}1a002200`);
  });

  it("may leave the kind to the place it is sent to", () => {
    const bare = parseHex("6b38730012060a040a02616212020a00");
    expect(parseProtobuf(parseHex("6b38730012060a040a026162"), CONFIG_MAP)).toEqual({
      ...CONFIG_MAP,
      metadata: { name: "ab" },
    });
    expect(parseProtobuf(bare, CONFIG_MAP)).toEqual({ ...CONFIG_MAP, metadata: {} });
  });

  const refused: Record<string, Uint8Array> = {
    "without the prefix": bytes.subarray(4),
    "that is JSON": encodeUtf8('{"kind":"ConfigMap"}'),
    empty: new Uint8Array(),
    "cut off": bytes.subarray(0, bytes.length - 9),
    "of a kind that is not here": Uint8Array.from(bytes, (byte) => (byte === 0x43 ? 0x44 : byte)),
    "of a part of a kind": parseHex("6b3873000a0d0a02763112074e6f646553706563"),
  };
  it.each(Object.entries(refused))("%s is refused", (_name, body) => {
    expect(() => parseProtobuf(body, CONFIG_MAP)).toThrow(expect.objectContaining({ code: "malformed" }));
  });

  it("of a delete is the same in every group", () => {
    const kind = { apiVersion: "example.com/v1", kind: "DeleteOptions" };
    const options = { gracePeriodSeconds: 0, preconditions: { uid: "u" } };
    expect(parseProtobuf(encoded(kind, options), kind)).toEqual({ ...kind, ...options });
  });

  it("does not exist for custom resources and tables", () => {
    expect(findMessage({ apiVersion: "example.com/v1", kind: "Machine" })).toBeUndefined();
    expect(findMessage({ apiVersion: "meta.k8s.io/v1", kind: "Table" })).toBeUndefined();
    expect(findMessage({ apiVersion: "constructor", kind: "Pod" })).toBeUndefined();
    expect(findMessage({ apiVersion: "v1", kind: "PodSpec" })).toBeUndefined();
  });
});

describe("an event of a watch", () => {
  it("has its length in front and the object's envelope inside", () => {
    const object = { ...CONFIG_MAP, metadata: { name: "a" } };
    const frame = encodeProtobufEvent("ADDED", object);
    const inner = encodeProtobuf(object);
    const view = new DataView(frame.buffer, frame.byteOffset);
    expect(view.getUint32(0)).toBe(frame.length - 4);
    expect(hex(frame.subarray(4, 13))).toBe(`0a05${hex(encodeUtf8("ADDED"))}1230`);
    expect(hex(frame.subarray(13, 15))).toBe(`0a${inner.length.toString(16)}`);
    expect(hex(frame.subarray(15))).toBe(hex(inner));
  });
});

describe("values with a form of their own", () => {
  const LEASE: KindName = { apiVersion: "coordination.k8s.io/v1", kind: "Lease" };
  const again = (kind: KindName, value: Json) => parseProtobuf(encoded(kind, value), kind);

  const times: Record<string, [string, string | undefined]> = {
    "keeps microseconds": ["2026-01-02T03:04:05.678901Z", "2026-01-02T03:04:05.678901Z"],
    "drops what is finer": ["2026-01-02T03:04:05.678901999Z", "2026-01-02T03:04:05.678901Z"],
    "is told in UTC": ["2026-01-02T03:04:05.5+02:00", "2026-01-02T01:04:05.500000Z"],
    "counts before 1970": ["1969-12-31T23:59:59.25Z", "1969-12-31T23:59:59.250000Z"],
    "is unset in the first second of all": ["0001-01-01T00:00:00Z", undefined],
  };
  it.each(Object.entries(times))("a precise time %s", (_name, [sent, told]) => {
    expect(again(LEASE, { spec: { renewTime: sent } })).toMatchObject({
      spec: told === undefined ? {} : { renewTime: told },
    });
  });

  it("a time has whole seconds, and is an empty message when unset", () => {
    const meta = { creationTimestamp: "2026-01-02T03:04:05.9Z" };
    expect(again(CONFIG_MAP, { metadata: meta })).toMatchObject({
      metadata: { creationTimestamp: "2026-01-02T03:04:05Z" },
    });
    expect(hex(encoded(CONFIG_MAP, {}))).toContain("4200");
  });

  it("a quantity may be a number in JSON", () => {
    const node = { apiVersion: "v1", kind: "Node" };
    expect(again(node, { status: { capacity: { cpu: 2 } } })).toMatchObject({ status: { capacity: { cpu: "2" } } });
  });

  it("a choice in a schema keeps its side", () => {
    const crd = { apiVersion: "apiextensions.k8s.io/v1", kind: "CustomResourceDefinition" };
    const openAPIV3Schema = {
      items: { type: "string" },
      allOf: [{ items: [{ type: "a" }, {}] }, { additionalProperties: { type: "b" } }],
      additionalProperties: true,
      additionalItems: false,
      dependencies: { a: ["b", "c"], d: { type: "object" } },
      default: { nested: [null, 1] },
      enum: ["a", 1, null, false],
      maximum: 0.5,
      minLength: 0,
    };
    const value = { spec: { versions: [{ name: "v1", served: true, storage: true, schema: { openAPIV3Schema } }] } };
    expect(again(crd, value)).toMatchObject(value);
  });

  it("a pointer tells zero from unset, anything else does not", () => {
    expect(again(LEASE, { spec: { leaseDurationSeconds: 0, holderIdentity: "" } })).toMatchObject({
      spec: { leaseDurationSeconds: 0, holderIdentity: "" },
    });
    expect(again({ apiVersion: "v1", kind: "Node" }, { spec: { unschedulable: false, podCIDR: "" } })).toMatchObject({
      spec: {},
    });
  });
});

describe("fields that come twice", () => {
  const body = (raw: string) => parseHex(`6b38730012${(raw.length / 2).toString(16).padStart(2, "0")}${raw}`);
  const read = (raw: string) => parseProtobuf(body(raw), CONFIG_MAP);

  it("are merged when they are messages, and the last scalar counts", () => {
    expect(read("0a030a01610a03120162")).toMatchObject({
      metadata: { name: "a", generateName: "b" },
    });
    expect(read("0a060a01610a0162")).toMatchObject({ metadata: { name: "b" } });
    expect(read("0a050a01610a00")["metadata"]).toEqual({});
  });

  it("are entries when they are maps; an entry may lack its key or value", () => {
    expect(read("12060a016112016212030a01631203120164")["data"]).toEqual({ a: "b", c: "", "": "d" });
  });
});

describe("limits", () => {
  const body = (raw: Uint8Array) => {
    const length: number[] = [];
    for (let rest = raw.length; ; rest >>>= 7) {
      length.push(rest > 127 ? (rest & 127) | 128 : rest);
      if (rest < 128) break;
    }
    return Uint8Array.from([0x6b, 0x38, 0x73, 0, 0x12, ...length, ...raw]);
  };

  it("hold for the number of values", () => {
    const entries = (count: number) => body(Uint8Array.from({ length: count * 2 }, (_, i) => (i % 2 === 0 ? 0x12 : 0)));
    expect(() => parseProtobuf(entries(MAX_VALUES), CONFIG_MAP)).not.toThrow();
    expect(() => parseProtobuf(entries(MAX_VALUES + 1), CONFIG_MAP)).toThrow(
      expect.objectContaining({ code: "limit-exceeded" }),
    );
  });

  it("hold for the depth", () => {
    const crd = { apiVersion: "apiextensions.k8s.io/v1", kind: "CustomResourceDefinition" };
    const nested = (depth: number): Json => (depth === 0 ? {} : { not: nested(depth - 1) });
    const value = (depth: number) => ({ spec: { versions: [{ schema: { openAPIV3Schema: nested(depth) } }] } });
    expect(() => parseProtobuf(encoded(crd, value(MAX_MESSAGE_DEPTH - 10)), crd)).not.toThrow();
    expect(() => parseProtobuf(encoded(crd, value(MAX_MESSAGE_DEPTH)), crd)).toThrow(/nested deeper/);
  });

  it("hold for map keys that JavaScript treats specially", () => {
    const object = { ...CONFIG_MAP, data: JSON.parse('{"__proto__":"x"}') };
    expect(() => parseProtobuf(encodeProtobuf(object), CONFIG_MAP)).toThrow(/__proto__/);
  });
});

describe("typeProblem", () => {
  const problems: Record<string, [Json, string]> = {
    "a number for a string": [{ data: { a: 1 } }, "number into Go struct field ConfigMap.data of type string"],
    "a string for a map": [{ data: "x" }, "string into Go struct field ConfigMap.data of type map"],
    "a list for an object": [{ metadata: [] }, "array into Go struct field ConfigMap.metadata of type ObjectMeta"],
    "no base64": [{ binaryData: { a: "*" } }, "string into Go struct field ConfigMap.binaryData of type []uint8"],
    "no time": [
      { metadata: { creationTimestamp: "now" } },
      "string into Go struct field ConfigMap.metadata.creationTimestamp of type Time",
    ],
    "a fraction": [
      { metadata: { generation: 1.5 } },
      "number into Go struct field ConfigMap.metadata.generation of type int64",
    ],
  };
  it.each(Object.entries(problems))("tells %s", (_name, [value, problem]) => {
    expect(typeProblem(value, CONFIG_MAP)).toBe(`json: cannot unmarshal ${problem}`);
  });

  it("has nothing to say about unknown fields, nulls and kinds without messages", () => {
    expect(typeProblem({ odd: 1, data: null, metadata: { name: null } }, CONFIG_MAP)).toBeUndefined();
    expect(typeProblem({ spec: 1 }, { apiVersion: "example.com/v1", kind: "Machine" })).toBeUndefined();
  });
});
