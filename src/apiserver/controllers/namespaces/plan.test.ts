import { describe, expect, it } from "vitest";
import { CONFIG_MAPS, type KubeObject, LEASES } from "../../../api/meta/index.ts";
import { type GoingNamespace, planStatus, withoutFinalizer } from "./plan.ts";

const NOW_MS = Date.parse("2026-01-01T00:00:00Z");
const namespace: GoingNamespace = {
  kind: "Namespace",
  apiVersion: "v1",
  metadata: { name: "n" },
  spec: { finalizers: ["kubernetes", "example.com/mine"] },
  status: { phase: "Terminating" },
};
const object = (finalizers: string[] = []): KubeObject => ({ kind: "X", apiVersion: "v1", metadata: { finalizers } });

describe("a namespace on its way out", () => {
  it("says what is left and what holds it, once", () => {
    const left = [
      { resource: LEASES, objects: [object(["b/y"]), object()] },
      { resource: CONFIG_MAPS, objects: [object(["a/x", "b/y"])] },
    ];
    const told = planStatus(namespace, left, NOW_MS);
    const messages = Object.fromEntries((told?.status?.conditions ?? []).map(({ type, message }) => [type, message]));
    expect(messages).toMatchObject({
      NamespaceContentRemaining:
        "Some resources are remaining: configmaps has 1 resource instances, leases.coordination.k8s.io has 2 resource instances",
      NamespaceFinalizersRemaining:
        "Some content in the namespace has finalizers remaining: a/x in 1 resource instances, b/y in 2 resource instances",
    });
    expect(planStatus(told ?? namespace, left, NOW_MS + 1_000)).toBeUndefined();
  });

  it("keeps the time at which a condition became what it is", () => {
    const first = planStatus(namespace, [{ resource: CONFIG_MAPS, objects: [object(), object()] }], NOW_MS);
    const next = planStatus(first ?? namespace, [{ resource: CONFIG_MAPS, objects: [object()] }], NOW_MS + 60_000);
    expect(new Set(next?.status?.conditions?.map((one) => one.lastTransitionTime))).toEqual(
      new Set(["2026-01-01T00:00:00Z"]),
    );
  });

  it("loses the finalizer of its content and no other", () => {
    expect(withoutFinalizer(namespace).spec?.finalizers).toEqual(["example.com/mine"]);
  });
});
