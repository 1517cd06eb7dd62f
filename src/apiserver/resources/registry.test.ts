import { describe, expect, it } from "vitest";
import { capiMachines } from "../../../test/builders/definitions.ts";
import { definitionStrategy } from "./custom/definition-strategy.ts";
import { kindsOf } from "./custom/index.ts";
import { createRegistry } from "./registry.ts";

const FACTS = { user: { username: "", groups: [] }, nowMs: 0, list: () => [] };
const MACHINES = kindsOf(definitionStrategy.prepareCreate(capiMachines(), FACTS));

function asked(path: string) {
  const [group = "", version = "", ...parts] = path.split("/");
  const [resource = "", , subresource = ""] = parts;
  return { group: group === "core" ? "" : group, version, resource, subresource, namespace: "", parts };
}

describe("the registry", () => {
  it.each([
    ["core/v1/nodes", "stored"],
    ["core/v1/nodes/n", "stored"],
    ["core/v1/nodes/n/status", "stored"],
    ["authorization.k8s.io/v1/subjectaccessreviews", "review"],
    ["core/v1/nodes/n/nope", undefined],
    ["core/v1/nodes/n/status/more", undefined],
    ["core/v2/nodes", undefined],
    ["core/v1/nope", undefined],
  ])("finds %s as %s", (path, kind) => {
    expect(createRegistry().find(asked(path))?.kind).toBe(kind);
  });

  it("does not look for one namespace inside another, where the other's bindings would count", () => {
    const inside = (namespace: string, name: string) => ({
      ...asked(`core/v1/namespaces/${name}`),
      namespace,
    });
    expect(createRegistry().find(inside("mine", "mine"))?.kind).toBe("stored");
    expect(createRegistry().find(inside("mine", "other"))).toBeUndefined();
    expect(createRegistry().find({ ...asked("core/v1/namespaces"), namespace: "mine" })).toBeUndefined();
  });

  it("finds a defined kind from the moment it is defined until it is forgotten", () => {
    const registry = createRegistry();
    const find = (version: string) => registry.find(asked(`cluster.x-k8s.io/${version}/machines`))?.kind;
    expect(find("v1beta1")).toBeUndefined();
    registry.define("machines.cluster.x-k8s.io", MACHINES);
    expect([find("v1beta1"), find("v1beta2"), registry.generation()]).toEqual(["stored", "stored", 1]);
    expect(registry.ofKind("cluster.x-k8s.io/v1beta1", "Machine")?.resource.plural).toBe("machines");
    expect(registry.keptUnder("/cluster.x-k8s.io/machines/")?.resource.kind).toBe("Machine");
    registry.define("machines.cluster.x-k8s.io", []);
    expect([find("v1beta1"), find("v1beta2"), registry.generation()]).toEqual([undefined, undefined, 2]);
  });

  it("counts only what changes something", () => {
    const registry = createRegistry();
    registry.define("none.example.com", []);
    expect(registry.generation()).toBe(0);
  });
});
