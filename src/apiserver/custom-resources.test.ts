// Kinds that come and go while the server runs: from the definition to the objects and back, over real TLS.

import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { capiMachines, definitionOf, openShiftMachines } from "../../test/builders/definitions.ts";
import { callApi, type Sent, watchApi } from "../../test/fakes/api-client.ts";
import { startTestApiServer, type TestApiServer } from "../../test/fakes/api-server.ts";
import { patient } from "../../test/patience.ts";
import type { Json } from "../kernel/json/index.ts";
import { createMemoryStorage } from "./storage/engine.ts";

let server: TestApiServer;
beforeAll(async () => {
  server = await startTestApiServer();
});
afterAll(() => server.close());

const call = (sent: Sent) => callApi(server, sent);
const create = (path: string, body: unknown) => call({ method: "POST", path, body });
const patch = (path: string, body: unknown) =>
  call({ method: "PATCH", path, body, headers: { "content-type": "application/merge-patch+json" } });
const DEFINITIONS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
const MACHINES = "/apis/cluster.x-k8s.io/v1beta2/namespaces/default/machines";
const OLD_MACHINES = "/apis/cluster.x-k8s.io/v1beta1/namespaces/default/machines";
const machine = (name: string, more: object = {}) => ({
  apiVersion: "cluster.x-k8s.io/v1beta2",
  kind: "Machine",
  metadata: { name },
  spec: { clusterName: "c" },
  ...more,
});
const widget = (group: string, name: string, more: object = {}) => ({
  apiVersion: `${group}/v1`,
  kind: "Widget",
  metadata: { name },
  ...more,
});

const lineOf = ({ type, object }: { type: string; object: { metadata: { name: string } } }) =>
  `${type} ${object.metadata.name}`;

describe("a definition", () => {
  it("is served to the request after the one that made it", async () => {
    expect((await call({ path: MACHINES })).status).toBe(404);
    const made = await create(DEFINITIONS, capiMachines());
    expect(made.status).toBe(201);
    expect((await call({ path: MACHINES })).body).toMatchObject({ kind: "MachineList", items: [] });
    expect((await call({ path: OLD_MACHINES })).status).toBe(200);
  });

  it("is told by discovery, the preferred version first, and the document has another tag", async () => {
    const aggregated = { accept: "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList" };
    const before = await call({ path: "/apis", headers: aggregated });
    await create(DEFINITIONS, openShiftMachines());
    const after = await call({ path: "/apis", headers: aggregated });
    expect(after.headers["etag"]).not.toBe(before.headers["etag"]);
    const { body } = await call({ path: "/apis/cluster.x-k8s.io" });
    expect(body.versions.map((one: { version: string }) => one.version)).toEqual(["v1beta2", "v1beta1"]);
    expect(body.preferredVersion.version).toBe("v1beta2");
  });

  it("can change what is served", async () => {
    await create(DEFINITIONS, definitionOf({ group: "changing.io" }));
    const path = `${DEFINITIONS}/widgets.changing.io`;
    const schema = { openAPIV3Schema: { type: "object", properties: { spec: { type: "string", default: "new" } } } };
    const versions = [{ name: "v1", served: true, storage: true, schema }];
    await create(
      "/apis/changing.io/v1/namespaces/default/widgets",
      widget("changing.io", "w", { spec: "x", other: 1 }),
    );
    await create("/apis/changing.io/v1/namespaces/default/widgets", widget("changing.io", "v", { other: 1 }));
    expect((await patch(path, { spec: { versions } })).status).toBe(200);
    const { body } = await call({ path: "/apis/changing.io/v1/widgets" });
    // Old objects are shown as the new schema wants them.
    expect(body.items.map((one: { spec: string; other?: number }) => [one.spec, one.other])).toEqual([
      ["new", undefined],
      ["x", undefined],
    ]);
    await patch(path, { spec: { versions: [{ ...versions[0], served: false }] } });
    expect((await call({ path: "/apis/changing.io/v1/widgets" })).status).toBe(404);
  });

  it("ends the watches on its kind when it changes or goes, after everything that happened before", async () => {
    const path = `${DEFINITIONS}/widgets.ending.io`;
    const widgets = "/apis/ending.io/v1/namespaces/default/widgets";
    await create(DEFINITIONS, definitionOf({ group: "ending.io" }));
    await create(widgets, widget("ending.io", "w"));
    /** Begins to watch; the result ends with the watch. */
    const follow = async () => {
      const events = watchApi(server, { path: `${widgets}?watch=1` });
      const seen = [await events.next().then(({ value }) => lineOf(value))];
      const ended = async () => {
        for await (const event of events) seen.push(lineOf(event));
        return seen;
      };
      return { ended: ended() };
    };
    const first = await follow();
    expect((await patch(path, { spec: { names: { categories: ["all"] } } })).status).toBe(200);
    expect(await first.ended).toEqual(["ADDED w"]);
    const second = await follow();
    await patch(path, { metadata: { labels: { a: "b" } } });
    expect((await call({ method: "DELETE", path })).status).toBe(200);
    expect(await second.ended).toEqual(["ADDED w", "DELETED w"]);
  });

  it("is found again after a restart", async () => {
    const storage = createMemoryStorage();
    const first = await startTestApiServer({ storage: { ...storage, close: async () => undefined } });
    await callApi(first, { method: "POST", path: DEFINITIONS, body: capiMachines() });
    await first.close();
    const second = await startTestApiServer({ storage });
    expect((await callApi(second, { path: MACHINES })).status).toBe(200);
    await second.close();
  });
});

describe("names", () => {
  it("go to the definition that waits when they become free", async () => {
    const [first, second] = ["firsts", "seconds"].map((plural) =>
      definitionOf({ group: "names.io", plural, names: { singular: plural, shortNames: ["s"] }, kind: "Widget" }),
    );
    await create(DEFINITIONS, first);
    const waiting = await create(DEFINITIONS, second);
    expect(waiting.body.status.conditions).toMatchObject([
      { type: "NamesAccepted", status: "False", reason: "ListKindConflict", message: '"WidgetList" is already in use' },
      { type: "Established", status: "False", reason: "NotAccepted" },
    ]);
    expect((await call({ path: "/apis/names.io/v1/seconds" })).status).toBe(404);
    await call({ method: "DELETE", path: `${DEFINITIONS}/firsts.names.io` });
    await expect.poll(async () => (await call({ path: "/apis/names.io/v1/seconds" })).status).toBe(200);
  });
});

describe("the end of a definition", () => {
  it("waits for objects with finalizers, takes nothing new, and leaves nothing", async () => {
    await create(DEFINITIONS, definitionOf({ group: "ending.io" }));
    const path = "/apis/ending.io/v1/namespaces/default/widgets";
    await create(path, widget("ending.io", "held", { metadata: { name: "held", finalizers: ["a.io/b"] } }));
    await create(path, widget("ending.io", "free"));
    const deleted = await call({ method: "DELETE", path: `${DEFINITIONS}/widgets.ending.io` });
    expect(deleted.body.metadata.finalizers).toEqual(["customresourcecleanup.apiextensions.k8s.io"]);
    await expect.poll(async () => (await call({ path: `${path}/free` })).status).toBe(404);
    expect((await create(path, widget("ending.io", "late"))).status).toBe(405);
    expect((await call({ path: `${path}/held` })).body.metadata.deletionTimestamp).toBeDefined();
    await patch(`${path}/held`, { metadata: { finalizers: null } });
    await expect
      .poll(async () => (await call({ path: `${DEFINITIONS}/widgets.ending.io` })).status, { timeout: patient(5_000) })
      .toBe(404);
    expect((await call({ path })).status).toBe(404);
    expect(server.storage.list({ prefix: "/ending.io/" }).items).toEqual([]);
  });
});

describe("an object of a custom kind", () => {
  it("is one object in all its versions", async () => {
    const made = await create(MACHINES, machine("one"));
    const old = await call({ path: `${OLD_MACHINES}/one` });
    expect(old.body).toEqual({ ...made.body, apiVersion: "cluster.x-k8s.io/v1beta1" });
    expect(old.headers["warning"]).toContain("v1beta1 Machine is deprecated");
    const changed = await patch(`${OLD_MACHINES}/one`, { spec: { providerID: "x:///1" } });
    expect(changed.body.metadata.generation).toBe(2);
    expect((await call({ path: `${MACHINES}/one` })).body.spec.providerID).toBe("x:///1");
  });

  it("is watched in the version that was asked for", async () => {
    const watch = watchApi(server, { path: `${OLD_MACHINES}?watch=true&fieldSelector=metadata.name%3Dwatched` });
    const next = watch.next();
    await create(MACHINES, machine("watched"));
    const { value } = await next;
    expect(value).toMatchObject({ type: "ADDED", object: { apiVersion: "cluster.x-k8s.io/v1beta1" } });
    await watch.return(undefined);
  });

  it("is not written without a resourceVersion", async () => {
    await create(MACHINES, machine("put"));
    const put = await call({ method: "PUT", path: `${MACHINES}/put`, body: machine("put") });
    expect(put).toMatchObject({ status: 422, body: { details: { kind: "machines" } } });
  });

  it("goes with its namespace", async () => {
    await create("/api/v1/namespaces", { metadata: { name: "gone" } });
    const path = MACHINES.replace("default", "gone");
    expect((await create(path, machine("m"))).status).toBe(201);
    await call({ method: "DELETE", path: "/api/v1/namespaces/gone" });
    await expect.poll(async () => (await call({ path: `${path}/m` })).status).toBe(404);
  });
});

describe("a definition with the names of a built-in kind", () => {
  it("is not served, and does not take the objects of the other with it", async () => {
    const approved = { annotations: { "api-approved.kubernetes.io": "unapproved, a test" } };
    const leases = definitionOf({
      group: "coordination.k8s.io",
      kind: "Lease",
      plural: "leases",
      version: { name: "v2" },
    });
    const made = await create(DEFINITIONS, { ...leases, metadata: { ...leases.metadata, ...approved } });
    expect(made.status).toBe(201);
    const real = "/apis/coordination.k8s.io/v1/namespaces/default/leases";
    await create(real, { metadata: { name: "kept" }, spec: {} });
    expect((await call({ path: "/apis/coordination.k8s.io/v2/leases" })).status).toBe(404);
    await call({ method: "DELETE", path: `${DEFINITIONS}/leases.coordination.k8s.io` });
    await expect.poll(async () => (await call({ path: `${DEFINITIONS}/leases.coordination.k8s.io` })).status).toBe(404);
    expect((await call({ path: `${real}/kept` })).status).toBe(200);
  });
});

describe("hostile definitions and objects", () => {
  const refused: Record<string, [Json, string]> = {
    "a pattern that grows beyond measure": [
      { type: "string", pattern: "((a{100}){100}){100}" },
      "error parsing regexp: expression too large",
    ],
    "a schema of too many nodes": [
      {
        type: "object",
        properties: Object.fromEntries(Array.from({ length: 21_000 }, (_, at) => [`f${at}`, {}])),
      },
      "a schema may have at most 20000 nodes",
    ],
  };
  for (const [name, [spec, expected]] of Object.entries(refused)) {
    it(`refuses ${name}`, async () => {
      const schema: Json = { type: "object", properties: { spec } };
      const { status, body } = await create(DEFINITIONS, definitionOf({ group: "bad.io", schema }));
      expect(status).toBe(422);
      expect(body.message).toContain(expected);
    });
  }

  it("answers in time about a text that makes backtracking engines think", async () => {
    const spec = { type: "string", pattern: "^(a+)+$" };
    await create(DEFINITIONS, definitionOf({ group: "slow.io", schema: { type: "object", properties: { spec } } }));
    const path = "/apis/slow.io/v1/namespaces/default/widgets";
    const { status } = await create(path, widget("slow.io", "w", { spec: `${"a".repeat(50_000)}!` }));
    expect(status).toBe(422);
  });

  it("does not let defaults turn a small request into a large object", async () => {
    const fields = Array.from({ length: 100 }, (_, at) => [`f${at}`, { type: "string", default: "x".repeat(100) }]);
    const items = { type: "object", properties: Object.fromEntries(fields) };
    const schema = { type: "object", properties: { spec: { type: "array", items } } };
    await create(DEFINITIONS, definitionOf({ group: "wide.io", schema }));
    const path = "/apis/wide.io/v1/namespaces/default/widgets";
    const { status } = await create(path, widget("wide.io", "w", { spec: Array.from({ length: 2_000 }, () => ({})) }));
    expect(status).toBe(413);
  });
});

describe("the subresource scale", () => {
  const path = "/apis/scale.example.com/v1/namespaces/default/fleets";
  const scale = { path: `${path}/f/scale` };
  beforeAll(async () => {
    const counted = { type: "object", properties: { replicas: { type: "integer", maximum: 9 } } };
    const schema = {
      type: "object",
      properties: {
        spec: counted,
        status: { type: "object", properties: { replicas: { type: "integer" }, selector: { type: "string" } } },
      },
    };
    const definition = definitionOf({ group: "scale.example.com", kind: "Fleet", plural: "fleets", schema });
    const [version] = definition.spec.versions ?? [];
    const subresources = {
      scale: {
        specReplicasPath: ".spec.replicas",
        statusReplicasPath: ".status.replicas",
        labelSelectorPath: ".status.selector",
      },
    };
    const spec = { ...definition.spec, versions: [{ ...version, subresources }] };
    expect((await create(DEFINITIONS, { ...definition, spec })).status).toBe(201);
    const fleet = { ...widget("scale.example.com", "f"), kind: "Fleet", spec: { replicas: 2 } };
    await create(path, { ...fleet, status: { replicas: 1, selector: "a=b" } });
  });

  it("is told as the kind that autoscalers know", async () => {
    const { body } = await call(scale);
    expect(body).toMatchObject({ kind: "Scale", apiVersion: "autoscaling/v1", metadata: { name: "f" } });
    expect([body.spec, body.status]).toEqual([{ replicas: 2 }, { replicas: 1, selector: "a=b" }]);
    const { body: list } = await call({ path: "/apis/scale.example.com/v1" });
    const found = list.resources.find((one: { name: string }) => one.name === "fleets/scale");
    expect(found).toMatchObject({ group: "autoscaling", version: "v1", kind: "Scale" });
  });

  it("is written by update and by patch, and nothing else changes", async () => {
    const { body } = await call(scale);
    const put = await call({ ...scale, method: "PUT", body: { ...body, spec: { replicas: 3 }, status: {} } });
    expect([put.status, put.body.spec, put.body.status.replicas]).toEqual([200, { replicas: 3 }, 1]);
    expect((await patch(scale.path, { spec: { replicas: 4 } })).body.spec).toEqual({ replicas: 4 });
    const whole = (await call({ path: `${path}/f` })).body;
    expect([whole.spec, whole.metadata.generation]).toEqual([{ replicas: 4 }, 3]);
    expect((await call({ ...scale, method: "PUT", body })).status).toBe(409);
  });

  it("is refused what the kind does not allow", async () => {
    expect((await patch(scale.path, { spec: { replicas: -1 } })).body.message).toContain(
      "should be a non-negative integer",
    );
    expect((await patch(scale.path, { spec: { replicas: 10 } })).status).toBe(422);
    expect((await call({ path: `${path}/none/scale` })).status).toBe(404);
  });
});

describe("an object within a custom object", () => {
  const path = "/apis/parts.example.com/v1/namespaces/default/wholes";
  const send = (how: string) => {
    const metadata = { name: "p", namespace: "n", color: "red" };
    const whole = { ...widget("parts.example.com", "w"), kind: "Whole" };
    const body = { ...whole, spec: { part: { apiVersion: "x/v1", kind: "Part", metadata } } };
    return create(`${path}?fieldValidation=${how}`, body);
  };
  beforeAll(async () => {
    const marks = { "x-kubernetes-embedded-resource": true, "x-kubernetes-preserve-unknown-fields": true };
    const properties = { spec: { type: "object", properties: { part: { type: "object", ...marks } } } };
    const schema = { type: "object", properties };
    await create(DEFINITIONS, definitionOf({ group: "parts.example.com", kind: "Whole", plural: "wholes", schema }));
  });

  it("has no metadata that no object has", async () => {
    expect((await send("Strict")).body.message).toContain('unknown field "spec.part.metadata.color"');
    expect((await send("Warn")).body.spec.part.metadata).toEqual({ name: "p", namespace: "n" });
  });
});
