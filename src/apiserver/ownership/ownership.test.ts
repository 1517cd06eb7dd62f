import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Json } from "../../kernel/json/index.ts";
import { builtInSchema, conform, type StructSchema, zeroOf } from "../schema/index.ts";
import { describeConflicts } from "./conflict.ts";
import { NO_FIELDS } from "./field-set.ts";
import { encodeManagers, type FieldWriter, type Managers, NO_MANAGERS, parseManagers } from "./managers.ts";
import { type Applied, applyConfiguration, type TrackedWrite, trackUpdate } from "./track.ts";

function kind(name: string): StructSchema {
  const schema = builtInSchema({ group: "", version: "v1", plural: "", kind: name, namespaced: true });
  if (schema === undefined) throw new TypeError(name);
  return schema;
}

const MAP = kind("ConfigMap");
const POD = kind("Pod");
const TIME = "2026-01-01T00:00:00Z";

const by = (manager: string, operation: FieldWriter["operation"] = "Apply"): FieldWriter => {
  return { manager, operation, apiVersion: "v1", subresource: "" };
};

function write(writer: FieldWriter, live: Json, managers: Managers, schema = MAP): TrackedWrite {
  return { schema, writer, time: TIME, ignored: NO_FIELDS, live, managers };
}

const config = (data: Json, more: object = {}): Json => ({
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { name: "a" },
  data,
  ...more,
});

/** One manager after the other applies; a conflict is thrown as its message. */
function applyAll(steps: readonly (readonly [manager: string, data: Json, force?: "force"])[]) {
  let [live, managers]: readonly [Json, Managers] = [{ metadata: { name: "a" } }, NO_MANAGERS];
  for (const [manager, data, force] of steps) {
    const applied = applyConfiguration(write(by(manager), live, managers), config(data), {
      force: force !== undefined,
    });
    if (applied.kind === "conflict") throw new TypeError(describeConflicts(applied.conflicts).message);
    if (applied.kind === "applied") [live, managers] = [applied.object, applied.managers];
  }
  return { data: (live as { data?: Json }).data, managers: encodeManagers(managers) };
}

const owners = (managers: readonly Json[]) =>
  Object.fromEntries(
    managers.map((one) => {
      const { manager, fieldsV1 } = one as { manager: string; fieldsV1: Json };
      return [manager, fieldsV1];
    }),
  );

describe("apply", () => {
  it("owns what it says and leaves alone what it does not", () => {
    const { data, managers } = applyAll([
      ["me", { x: "1" }],
      ["you", { y: "2" }],
    ]);
    expect(data).toEqual({ x: "1", y: "2" });
    expect(owners(managers)).toEqual({ me: { "f:data": { "f:x": {} } }, you: { "f:data": { "f:y": {} } } });
  });

  it("takes away what it said before and says no more", () => {
    expect(
      applyAll([
        ["me", { x: "1", y: "2" }],
        ["me", { y: "2" }],
      ]).data,
    ).toEqual({ y: "2" });
  });

  it("leaves what somebody else owns too", () => {
    const { data, managers } = applyAll([
      ["me", { x: "1" }],
      ["you", { x: "1" }],
      ["me", {}],
    ]);
    expect(data).toEqual({ x: "1" });
    expect(Object.keys(owners(managers))).toEqual(["me", "you"]);
  });

  it("is refused where others own and it wants otherwise", () => {
    expect(() =>
      applyAll([
        ["me", { x: "1" }],
        ["you", { x: "2" }],
      ]),
    ).toThrow('Apply failed with 1 conflict: conflict with "me": .data.x');
    expect(() =>
      applyAll([
        ["me", { x: "1" }],
        ["us", { y: "1" }],
        ["you", { x: "2", y: "2" }],
      ]),
    ).toThrow('Apply failed with 2 conflicts: conflicts with "me":\n- .data.x\nconflicts with "us":\n- .data.y');
  });

  it("takes by force, and the other owns it no more", () => {
    const { data, managers } = applyAll([
      ["me", { x: "1", y: "1" }],
      ["you", { x: "2" }, "force"],
    ]);
    expect(data).toEqual({ x: "2", y: "1" });
    expect(owners(managers)).toEqual({ me: { "f:data": { "f:y": {} } }, you: { "f:data": { "f:x": {} } } });
  });

  it("knows list items by their keys, with the protocol that ports have by default", () => {
    const live = { spec: { containers: [{ name: "a", image: "i", ports: [{ containerPort: 80, protocol: "TCP" }] }] } };
    const intent = {
      spec: {
        containers: [
          { name: "b", image: "j" },
          { name: "a", ports: [{ containerPort: 80, name: "web" }] },
        ],
      },
    };
    const applied = applyConfiguration(write(by("me"), live, NO_MANAGERS, POD), intent, { force: false });
    expect(applied).toMatchObject({
      object: {
        spec: {
          containers: [
            { name: "b", image: "j" },
            { name: "a", image: "i", ports: [{ containerPort: 80, protocol: "TCP", name: "web" }] },
          ],
        },
      },
    });
  });
});

describe("an ordinary write", () => {
  it("gives what it changes to its writer, and takes it from everybody else", () => {
    const created = trackUpdate(write(by("maker", "Update"), zeroOf(MAP), NO_MANAGERS), config({ x: "1", y: "1" }));
    const changed = trackUpdate(
      write(by("other", "Update"), config({ x: "1", y: "1" }), created),
      config({ x: "2", y: "1" }),
    );
    expect(owners(encodeManagers(changed))).toEqual({
      maker: { "f:data": { ".": {}, "f:y": {} } },
      other: { "f:data": { "f:x": {} } },
    });
  });

  it("that changes nothing changes no owner", () => {
    const created = trackUpdate(write(by("maker", "Update"), zeroOf(MAP), NO_MANAGERS), config({ x: "1" }));
    expect(trackUpdate(write(by("other", "Update"), config({ x: "1" }), created), config({ x: "1" }))).toBe(created);
  });

  it("makes room: the oldest updaters become one", () => {
    let managers = NO_MANAGERS;
    let live: Record<string, string> = {};
    for (let at = 0; at < 25; at += 1) {
      const next = { ...live, [`k${at}`]: "v" };
      managers = trackUpdate(write(by(`m${at}`, "Update"), config(live), managers), config(next));
      live = next;
    }
    expect(managers.size).toBe(10);
    expect([...managers.values()].map(({ writer }) => writer.manager)).toContain("ancient-changes");
    const owned = [...managers.values()].flatMap(({ fields }) => [
      ...(fields.children.get("f:data")?.children.keys() ?? []),
    ]);
    expect(owned.sort()).toEqual(
      Object.keys(live)
        .map((key) => `f:${key}`)
        .sort(),
    );
  });
});

describe("managedFields", () => {
  const bad: Record<string, unknown> = {
    "no list": {},
    "no object": [1],
    "another operation": [{ operation: "Read", apiVersion: "v1", fieldsType: "FieldsV1" }],
    "another form of fields": [{ operation: "Update", apiVersion: "v1", fieldsType: "FieldsV2" }],
    "fields that are none": [{ operation: "Update", apiVersion: "v1", fieldsType: "FieldsV1", fieldsV1: { x: {} } }],
    "a key that is no JSON": [
      { operation: "Update", apiVersion: "v1", fieldsType: "FieldsV1", fieldsV1: { "k:{": {} } },
    ],
  };
  it.each(Object.entries(bad))("with %s are not taken", (_name, value) => {
    expect(parseManagers(value)).toBeUndefined();
  });
});

const words = fc.constantFrom("a", "b", "c", "d");
const containers = fc.uniqueArray(
  fc.record(
    {
      name: words,
      image: words,
      env: fc.uniqueArray(fc.record({ name: words, value: words }), { selector: (one) => one.name }),
      args: fc.array(words),
    },
    { requiredKeys: ["name"] },
  ),
  { selector: (one) => one.name, minLength: 1 },
);
const pods = fc.record(
  {
    metadata: fc.record(
      { name: fc.constant("p"), labels: fc.dictionary(words, words), finalizers: fc.uniqueArray(words) },
      { requiredKeys: ["name"] },
    ),
    spec: fc.record({ containers, nodeSelector: fc.dictionary(words, words) }, { requiredKeys: [] }),
  },
  { requiredKeys: ["metadata"] },
);
const applies = fc.array(fc.tuple(fc.constantFrom("me", "you", "us"), pods), { minLength: 1, maxLength: 6 });

describe("any sequence of applies", () => {
  const step = (state: { live: Json; managers: Managers }, manager: string, intent: Json): Applied =>
    applyConfiguration(write(by(manager), state.live, state.managers, POD), intent, { force: true });

  it("gives the same when the last one is repeated", () => {
    fc.assert(
      fc.property(pods, applies, (live, steps) => {
        // Nothing stored holds empty lists or maps.
        let state: { live: Json; managers: Managers } = { live: conform(live, POD).object, managers: NO_MANAGERS };
        for (const [manager, intent] of steps) {
          const applied = step(state, manager, intent);
          if (applied.kind === "applied") state = { live: applied.object, managers: applied.managers };
          const again = step(state, manager, intent);
          expect(again.kind).toBe("unchanged");
        }
      }),
      { numRuns: 300 },
    );
  });

  it("leaves owners that can be read again, and never two owners of a forced change", () => {
    fc.assert(
      fc.property(applies, (steps) => {
        let state: { live: Json; managers: Managers } = { live: { metadata: { name: "p" } }, managers: NO_MANAGERS };
        for (const [manager, intent] of steps) {
          const applied = step(state, manager, intent);
          if (applied.kind !== "applied") continue;
          state = { live: applied.object, managers: applied.managers };
          const encoded = encodeManagers(state.managers);
          expect(encodeManagers(parseManagers(encoded) ?? NO_MANAGERS)).toEqual(encoded);
        }
      }),
      { numRuns: 300 },
    );
  });
});
