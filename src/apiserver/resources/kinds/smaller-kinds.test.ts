import { describe, expect, it } from "vitest";
import type { Namespace, Node, PriorityClass, ResourceClaim, ResourceSlice } from "../../../api/core/index.ts";
import type { KubeObject } from "../../../api/meta/index.ts";
import { describeError, type FieldError } from "../field-error.ts";
import { resourceClaimStrategy, resourceSliceStrategy } from "./allocation.ts";
import { eventStrategy } from "./event.ts";
import { eventV1Strategy, type ShownEvent } from "./event-v1.ts";
import { namespaceStrategy } from "./namespace.ts";
import { nodeStrategy } from "./node.ts";
import { priorityClassStrategy } from "./workings.ts";

const FACTS = { user: { username: "jane", groups: [] }, nowMs: 0, list: () => [] };
const texts = (errors: readonly FieldError[]) => errors.map((error) => `${error.field}: ${describeError(error)}`);
const base = <T extends KubeObject>(more: object): T =>
  ({ kind: "", apiVersion: "", metadata: { name: "x" }, ...more }) as unknown as T;

describe("a PriorityClass", () => {
  const errors = (name: string, more: object) =>
    texts(priorityClassStrategy.validateCreate(base<PriorityClass>({ metadata: { name }, ...more })));
  it("leaves the highest numbers and the names of the system alone", () => {
    expect(errors("mine", { value: 1_000_000_000 })).toEqual([]);
    expect(errors("system-node-critical", { value: 2_000_001_000 })).toEqual([]);
    expect(errors("mine", { value: 1_000_000_001 })).toEqual([
      "value: Forbidden: maximum allowed value of a user defined priority is 1000000000",
    ]);
    expect(errors("system-mine", { value: 1 })[0]).toMatch(/reserved for system use only/);
    expect(errors("system-node-critical", { value: 1 })[0]).toMatch(/must be 2000001000$/);
  });
});

describe("devices", () => {
  const aSlice = (more: object = {}) =>
    base<ResourceSlice>({
      spec: { driver: "d.example.com", nodeName: "n1", pool: { name: "p", resourceSliceCount: 1 }, ...more },
    });
  it("are reached from one place", () => {
    expect(resourceSliceStrategy.validateCreate(aSlice())).toEqual([]);
    expect(texts(resourceSliceStrategy.validateCreate(aSlice({ allNodes: true })))[0]).toMatch(
      /multiple fields are set$/,
    );
    expect(texts(resourceSliceStrategy.validateCreate(aSlice({ nodeName: undefined })))[0]).toMatch(/is required$/);
  });
  it("stay on their node", () => {
    expect(texts(resourceSliceStrategy.validateUpdate(aSlice({ nodeName: "n2" }), aSlice()))).toEqual([
      'spec.nodeName: Invalid value: "n2": field is immutable',
    ]);
  });
  it("are claimed one at a time unless more is said", () => {
    const spec = { devices: { requests: [{ name: "r", exactly: { deviceClassName: "c" } }] } };
    const claim = resourceClaimStrategy.prepareCreate(base<ResourceClaim>({ spec, status: { allocation: {} } }), FACTS);
    expect(claim).toMatchObject({
      spec: { devices: { requests: [{ exactly: { allocationMode: "ExactCount", count: 1 } }] } },
      status: {},
    });
    const state = (status: object, metadata: object = { name: "x" }) =>
      resourceClaimStrategy.table.cells(base<ResourceClaim>({ metadata, status }), 0)[1];
    expect(state({})).toBe("pending");
    expect(state({ allocation: {}, reservedFor: [{}] })).toBe("allocated,reserved");
    expect(state({ allocation: {} }, { deletionTimestamp: "t" })).toBe("deleted,allocated");
  });
});

describe("an Event has two faces", () => {
  const kept = eventStrategy.prepareCreate(
    base({
      metadata: { name: "e", namespace: "n" },
      involvedObject: { kind: "Pod", name: "p", namespace: "n" },
      message: "m",
      count: 3,
    }),
    FACTS,
  );
  it("and loses nothing on the way", () => {
    const shown = eventV1Strategy.face?.show(kept);
    expect(shown).toMatchObject({
      apiVersion: "events.k8s.io/v1",
      regarding: { name: "p" },
      note: "m",
      deprecatedCount: 3,
    });
    expect(shown).not.toHaveProperty("involvedObject");
    const back = eventV1Strategy.face?.keep(shown as ShownEvent) as KubeObject;
    expect(eventStrategy.prepareUpdate(back as typeof kept, kept, FACTS)).toEqual({ ...kept, apiVersion: "v1" });
  });
  it("of which the newer one takes nothing of the old sort", () => {
    const event = base<ShownEvent>({
      metadata: { name: "e", namespace: "n" },
      regarding: { namespace: "n" },
      eventTime: "2026-01-01T00:00:00.000000Z",
      reportingController: "c",
      reportingInstance: "i",
      action: "a",
      reason: "r",
      type: "Normal",
    });
    const errors = (more: object) => texts(eventV1Strategy.validateCreate({ ...event, ...more }));
    expect(errors({})).toEqual([]);
    expect(errors({ deprecatedCount: 1 })).toEqual(['count: Invalid value: "": needs to be unset']);
    expect(errors({ reportingController: "" })[0]).toBe("reportingController: Required value");
    expect(errors({ series: { count: 1 } })[0]).toBe('series.count: Invalid value: "": should be at least 2');
  });
});

describe("a Node", () => {
  const aNode = (spec: object, status: object = {}) => nodeStrategy.prepareCreate(base<Node>({ spec, status }), FACTS);
  it("has its first range twice", () => {
    expect(aNode({ podCIDR: "10.1.0.0/24" }).spec).toMatchObject({ podCIDR: "10.1.0.0/24", podCIDRs: ["10.1.0.0/24"] });
    expect(aNode({ podCIDRs: ["10.1.0.0/24", "2001:db8::/64"] }).spec).toMatchObject({ podCIDR: "10.1.0.0/24" });
  });
  it("keeps its ranges once it has them", () => {
    expect(nodeStrategy.validateUpdate(aNode({ podCIDR: "10.1.0.0/24" }), aNode({}))).toEqual([]);
    expect(texts(nodeStrategy.validateUpdate(aNode({}), aNode({ podCIDR: "10.1.0.0/24" })))).toEqual([
      'spec.podCIDRs: Forbidden: node updates may not change podCIDR except from "" to valid',
    ]);
  });
  it.each([["10.1.0.0"], ["10.1.0.0/33"], ["x/8"], ["10.1.0.0/8/8"], ["10.1.0.0/24", "10.2.0.0/24"]])(
    "is refused with the ranges %s",
    (...podCIDRs) => expect(nodeStrategy.validateCreate(aNode({ podCIDRs })).length).toBeGreaterThan(0),
  );
  it("says each address once", () => {
    const [status] = nodeStrategy.subresources;
    const address = { type: "InternalIP", address: "10.0.0.1" };
    expect(status?.validateUpdate(aNode({}, { addresses: [address] }), aNode({}))).toEqual([]);
    expect(status?.validateUpdate(aNode({}, { addresses: [address, address] }), aNode({}))).toHaveLength(1);
  });
});

describe("a Namespace", () => {
  const [status, finalize] = namespaceStrategy.subresources;
  const aNamespace = (metadata: object, phase: string) =>
    base<Namespace>({ metadata: { name: "n", ...metadata }, status: { phase } });
  it("ends only when it is deleted", () => {
    const current = aNamespace({}, "Active");
    expect(status?.validateUpdate(aNamespace({}, "Active"), current)).toEqual([]);
    expect(texts(status?.validateUpdate(aNamespace({}, "Terminating"), current) ?? [])).toEqual([
      "status.Phase: Invalid value: \"Terminating\": may only be 'Active' if `deletionTimestamp` is empty",
    ]);
  });
  it("loses its finalizers at /finalize only", () => {
    const current = { ...aNamespace({}, "Active"), spec: { finalizers: ["kubernetes"] } };
    const sent = { ...current, spec: { finalizers: [] } };
    expect(namespaceStrategy.prepareUpdate(sent, current, FACTS).spec).toEqual({ finalizers: ["kubernetes"] });
    expect(finalize?.prepareUpdate(sent, current, FACTS)).toMatchObject({ spec: { finalizers: [] } });
  });
});
