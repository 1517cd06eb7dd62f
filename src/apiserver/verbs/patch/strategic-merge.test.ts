import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Json } from "../../../kernel/json/index.ts";
import { isFault } from "../../../kernel/outcome/index.ts";
import { builtInSchema, type Schema } from "../../schema/index.ts";
import { applyStrategicMerge } from "./strategic-merge.ts";

function kind(name: string): Schema {
  const schema = builtInSchema({ group: "", version: "v1", plural: "", kind: name, namespaced: true });
  if (schema === undefined) throw new TypeError(name);
  return schema;
}

const NODE = kind("Node");
const POD = kind("Pod");

const ready = { type: "Ready", status: "True", reason: "KubeletReady" };
const disk = { type: "DiskPressure", status: "False" };
const addresses = [
  { type: "InternalIP", address: "10.0.0.1" },
  { type: "InternalIP", address: "10.0.0.2" },
];

type Case = readonly [schema: Schema, target: Json, patch: Json, expected: Json];

const MERGES: Record<string, Case> = {
  "an empty patch changes nothing": [NODE, { spec: { podCIDR: "a" } }, {}, { spec: { podCIDR: "a" } }],
  "null removes a field": [
    NODE,
    { spec: { podCIDR: "a", providerID: "b" } },
    { spec: { podCIDR: null } },
    { spec: { providerID: "b" } },
  ],
  "a list with a merge key merges by it": [
    NODE,
    { status: { conditions: [ready, disk] } },
    { status: { conditions: [{ type: "Ready", status: "False" }] } },
    { status: { conditions: [{ ...ready, status: "False" }, disk] } },
  ],
  "a new element comes first, where no order is asked for": [
    NODE,
    { status: { conditions: [ready] } },
    { status: { conditions: [disk] } },
    { status: { conditions: [disk, ready] } },
  ],
  "a list without one is replaced": [
    NODE,
    { spec: { taints: [{ key: "a" }, { key: "b" }] } },
    { spec: { taints: [{ key: "c" }] } },
    { spec: { taints: [{ key: "c" }] } },
  ],
  "the kubelet replaces its addresses, whose types are not unique": [
    NODE,
    { status: { addresses } },
    { status: { addresses: [{ type: "Hostname", address: "n" }, { $patch: "replace" }] } },
    { status: { addresses: [{ type: "Hostname", address: "n" }] } },
  ],
  "the kubelet's order of conditions holds": [
    NODE,
    { status: { conditions: [ready, disk] } },
    {
      status: {
        "$setElementOrder/conditions": [{ type: "DiskPressure" }, { type: "Ready" }],
        conditions: [{ type: "Ready", lastHeartbeatTime: "t" }],
      },
    },
    { status: { conditions: [disk, { ...ready, lastHeartbeatTime: "t" }] } },
  ],
  "an order alone reorders, and what the server has beside it keeps its place": [
    NODE,
    { status: { conditions: [{ type: "A" }, { type: "B" }, { type: "C" }] } },
    { status: { "$setElementOrder/conditions": [{ type: "C" }, { type: "A" }] } },
    { status: { conditions: [{ type: "B" }, { type: "C" }, { type: "A" }] } },
  ],
  "an element is deleted by its key": [
    NODE,
    { status: { conditions: [ready, disk] } },
    { status: { conditions: [{ $patch: "delete", type: "Ready" }] } },
    { status: { conditions: [disk] } },
  ],
  "scalars of a merged list are a set": [
    NODE,
    { metadata: { finalizers: ["a", "b"] } },
    { metadata: { finalizers: ["b", "c"] } },
    { metadata: { finalizers: ["a", "b", "c"] } },
  ],
  "scalars leave a list": [
    NODE,
    { metadata: { finalizers: ["a", "b"] } },
    { metadata: { "$deleteFromPrimitiveList/finalizers": ["a"] } },
    { metadata: { finalizers: ["b"] } },
  ],
  "a map is replaced": [
    NODE,
    { metadata: { labels: { a: "1" } } },
    { metadata: { labels: { $patch: "replace", b: "2" } } },
    { metadata: { labels: { b: "2" } } },
  ],
  "a map is emptied": [
    NODE,
    { metadata: { labels: { a: "1" } } },
    { metadata: { labels: { $patch: "delete" } } },
    { metadata: { labels: {} } },
  ],
  "only some keys are retained": [
    POD,
    { spec: { volumes: [{ name: "v", emptyDir: {} }] } },
    { spec: { volumes: [{ name: "v", $retainKeys: ["name", "hostPath"], hostPath: { path: "/" } }] } },
    { spec: { volumes: [{ name: "v", hostPath: { path: "/" } }] } },
  ],
  "what is new comes without directives and removals": [
    POD,
    {},
    {
      spec: {
        "$setElementOrder/containers": [{ name: "a" }],
        containers: [{ name: "a", image: null, env: [{ $patch: "delete", name: "x" }] }],
      },
    },
    { spec: { containers: [{ name: "a", env: [] }] } },
  ],
  "ports merge by their number": [
    POD,
    { spec: { containers: [{ name: "a", ports: [{ containerPort: 80, name: "x" }] }] } },
    { spec: { containers: [{ name: "a", ports: [{ containerPort: 80, protocol: "UDP" }] }] } },
    { spec: { containers: [{ name: "a", ports: [{ containerPort: 80, name: "x", protocol: "UDP" }] }] } },
  ],
};

const BAD: Record<string, readonly [Schema, Json, Json]> = {
  "no object": [NODE, {}, []],
  "an unknown directive": [NODE, { metadata: { labels: {} } }, { metadata: { labels: { $patch: "spoil" } } }],
  "an element without its key": [
    NODE,
    { status: { conditions: [ready] } },
    { status: { conditions: [{ status: "x" }] } },
  ],
  "a deletion without its key": [
    NODE,
    { status: { conditions: [ready] } },
    { status: { conditions: [{ $patch: "delete" }] } },
  ],
  "an order that is no list": [NODE, { status: {} }, { status: { "$setElementOrder/conditions": "x" } }],
  "an order that lacks what the patch brings": [
    NODE,
    { status: { conditions: [ready] } },
    { status: { "$setElementOrder/conditions": [{ type: "Ready" }], conditions: [disk] } },
  ],
  "retained keys that leave out one of the patch": [NODE, { spec: {} }, { spec: { $retainKeys: ["a"], podCIDR: "x" } }],
};

describe("a strategic merge patch", () => {
  it.each(Object.entries(MERGES))("%s", (_name, [schema, target, patch, expected]) => {
    expect(applyStrategicMerge(target, patch, schema)).toEqual(expected);
  });

  it.each(Object.entries(BAD))("is refused: %s", (_name, [schema, target, patch]) => {
    expect(() => applyStrategicMerge(target, patch, schema)).toThrow(expect.objectContaining({ code: "malformed" }));
  });
});

const words = fc.constantFrom("a", "b", "c");
const conditions = fc.uniqueArray(fc.record({ type: words, status: words }), { selector: (one) => one.type });
const nodes = fc.record({
  metadata: fc.record({ labels: fc.dictionary(words, words), finalizers: fc.uniqueArray(words) }),
  status: fc.record({ conditions }),
});
const directives = fc.oneof(
  fc.constant({ $patch: "replace" }),
  words.map((type) => ({ $patch: "delete", type })),
  words.map((type) => ({ type, $retainKeys: ["type"] })),
);
const patches = fc.record(
  {
    metadata: fc.record(
      { labels: fc.dictionary(words, fc.option(words)), finalizers: fc.array(words) },
      { requiredKeys: [] },
    ),
    status: fc.record(
      {
        conditions: fc.array(
          fc.oneof(
            conditions.map((all) => all[0] ?? {}),
            directives,
          ),
        ),
      },
      { requiredKeys: [] },
    ),
  },
  { requiredKeys: [] },
);

describe("any strategic merge patch", () => {
  it("that is empty gives the same object", () => {
    fc.assert(
      fc.property(nodes, (node) => {
        expect(applyStrategicMerge(node, {}, NODE)).toEqual(node);
      }),
    );
  });

  it("gives the same when it is applied again, and leaves nothing of its directives", () => {
    fc.assert(
      fc.property(nodes, patches, (node, patch) => {
        const before = JSON.stringify(node);
        const once = attempt(node, patch);
        expect(JSON.stringify(node)).toBe(before);
        if (once === undefined) return;
        expect(JSON.stringify(once)).not.toContain("$");
        expect(attempt(once, patch)).toEqual(once);
      }),
      { numRuns: 500 },
    );
  });

  it("is taken or refused with a fault, whatever it is", () => {
    fc.assert(
      fc.property(nodes, fc.jsonValue(), (node, patch) => void attempt(node, patch as Json)),
      { numRuns: 500 },
    );
  });
});

describe("a strategic merge of long lists", () => {
  const many = (count: number, name: string) => [...Array(count).keys()].map((n) => `${name}/${n}`);

  it("of scalars ends: each is looked up, not compared with all others", () => {
    const [old, added] = [many(20_000, "a"), many(20_000, "b")];
    const merged = applyStrategicMerge({ metadata: { finalizers: old } }, { metadata: { finalizers: added } }, NODE);
    expect(merged).toEqual({ metadata: { finalizers: [...added, ...old] } });
    const gone = { metadata: { "$deleteFromPrimitiveList/finalizers": old.slice(1) } };
    expect(applyStrategicMerge(merged, gone, NODE)).toEqual({ metadata: { finalizers: [...added, "a/0"] } });
  });

  it("of objects ends too", () => {
    const conditions = (name: string) => many(20_000, name).map((type) => ({ type, status: "True" }));
    const [old, added] = [conditions("a"), conditions("b")];
    const merged = applyStrategicMerge({ status: { conditions: old } }, { status: { conditions: added } }, NODE);
    expect(merged).toEqual({ status: { conditions: [...added, ...old] } });
    const deleted = old.map(({ type }) => ({ type, $patch: "delete" }));
    const left = applyStrategicMerge(merged, { status: { conditions: deleted } }, NODE);
    expect(left).toEqual({ status: { conditions: added } });
  });
});

function attempt(target: Json, patch: Json): Json | undefined {
  try {
    return applyStrategicMerge(target, patch, NODE);
  } catch (error) {
    if (isFault(error, "malformed")) return undefined;
    throw error;
  }
}
