// Custom resources on the embedded server beside a real kube-apiserver: the same definitions, the same requests, the
// same answers, and the same kubectl. What the two may differ in is written down in IGNORED and SAME_STATUS.

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  capiMachines,
  definitionOf,
  joinPolicies,
  nodeIdentities,
  openShiftMachines,
} from "../builders/definitions.ts";
import { type ApiEndpoint, asRoot, callApi, type Received, watchApi } from "../fakes/api-client.ts";
import { startTestApiServer, type TestApiServer } from "../fakes/api-server.ts";
import { patient } from "../patience.ts";
import { type ControlPlane, createWorkspace, startControlPlane, type Workspace } from "./harness/index.ts";

let embedded: TestApiServer;
let real: ControlPlane;
let ours: ApiEndpoint;
let theirs: ApiEndpoint;
let workspace: Workspace;

beforeAll(async () => {
  workspace = await createWorkspace("crd");
  [embedded, real] = await Promise.all([startTestApiServer(), startControlPlane({ keyAlgorithm: "ECDSA-P256" })]);
  [ours, theirs] = [asRoot(embedded), asRoot(real)];
  for (const definition of [capiMachines(), openShiftMachines(), nodeIdentities(), joinPolicies(), strict()]) {
    for (const { status, text } of await ask([`POST ${DEFINITIONS}`, definition])) expect(status, text).toBe(201);
    await Promise.all([ours, theirs].map((one) => established(one, definition.metadata.name ?? "")));
  }
});
afterAll(async () => {
  await Promise.all([embedded.close(), real.stop()]);
  await workspace.remove();
});

/** Established, and served: a real server opens the endpoint a moment later. */
async function established(one: ApiEndpoint, name: string): Promise<void> {
  for (;;) {
    const { body } = await callApi(one, { path: `${DEFINITIONS}/${name}` });
    const versions: { name: string; served: boolean }[] = body.spec.versions;
    const paths = versions.map(({ name: version }) => `/apis/${body.spec.group}/${version}/${body.spec.names.plural}`);
    const answers = await Promise.all(paths.map((path) => callApi(one, { path })));
    if (answers.every(({ status }) => status === 200)) return;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

const DEFINITIONS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
const MACHINES = "/apis/cluster.x-k8s.io/v1beta2/namespaces/default/machines";
const OLD_MACHINES = "/apis/cluster.x-k8s.io/v1beta1/namespaces/default/machines";
const IDENTITIES = "/apis/countersign.dev/v1alpha1/nodeidentities";
const POLICIES = "/apis/countersign.dev/v1alpha1/joinpolicies";
const STRICT = "/apis/strict.example.com/v1/namespaces/default/checks";

const MERGE = { "content-type": "application/merge-patch+json" };
const OPERATIONS = { "content-type": "application/json-patch+json" };
const STRATEGIC = { "content-type": "application/strategic-merge-patch+json" };
const TABLE = { accept: "application/json;as=Table;v=v1;g=meta.k8s.io,application/json" };

type Row = readonly [request: string, body?: unknown, headers?: Readonly<Record<string, string>>];

/** Every rule that a schema can have. */
function strict() {
  const text = { type: "string" };
  return definitionOf({
    group: "strict.example.com",
    kind: "Check",
    plural: "checks",
    schema: {
      type: "object",
      required: ["spec"],
      properties: {
        spec: {
          type: "object",
          minProperties: 1,
          maxProperties: 3,
          properties: {
            number: { type: "number", minimum: 1, maximum: 10, exclusiveMaximum: true },
            even: { type: "integer", multipleOf: 2 },
            boolean: { type: "boolean" },
            pattern: { ...text, pattern: "^[a-z]+(?:-\\d{1,3})?$" },
            time: { ...text, format: "date-time" },
            address: { ...text, format: "ipv4" },
            range: { ...text, format: "cidr" },
            id: { ...text, format: "uuid" },
            bytes: { ...text, format: "byte" },
            wait: { ...text, format: "duration" },
            list: { type: "array", minItems: 2, items: { type: "integer" } },
            items: {
              type: "array",
              "x-kubernetes-list-type": "map",
              "x-kubernetes-list-map-keys": ["name", "port"],
              items: {
                type: "object",
                required: ["name"],
                properties: { name: text, port: { type: "integer", default: 80 }, value: text },
              },
            },
            any: {
              type: "object",
              properties: { a: text, b: text },
              anyOf: [{ required: ["a"] }, { required: ["b"] }],
            },
            all: {
              type: "object",
              properties: { a: { type: "integer" } },
              allOf: [{ properties: { a: { minimum: 3 } } }, { properties: { a: { maximum: 5 } } }],
            },
            not: { type: "string", not: { enum: ["never"] } },
            choice: { type: "integer", enum: [1, 2, 3] },
            embedded: {
              type: "object",
              "x-kubernetes-embedded-resource": true,
              "x-kubernetes-preserve-unknown-fields": true,
            },
          },
        },
      },
    },
  });
}

const machine = (name: string, spec: object, more: object = {}) => ({
  apiVersion: "cluster.x-k8s.io/v1beta2",
  kind: "Machine",
  metadata: { name },
  spec,
  ...more,
});
const OWN = "countersign.dev/v1alpha1";
const identity = (name: string) => ({
  apiVersion: OWN,
  kind: "NodeIdentity",
  metadata: { name },
  spec: { nodeName: name },
});
const policy = (name: string, spec: object) => ({ apiVersion: OWN, kind: "JoinPolicy", metadata: { name }, spec });
const check = (spec: object) => ({
  apiVersion: "strict.example.com/v1",
  kind: "Check",
  metadata: { generateName: "c-" },
  spec,
});
const broken = (schema: object, more: object = {}) =>
  definitionOf({ plural: "brokens", kind: "Broken", schema: { type: "object", ...schema }, ...more });

/** Equal in status and in every field of the body, but for those of `IGNORED` and the order of several mistakes. */
const SAME: readonly Row[] = [
  [`GET ${DEFINITIONS}/machines.cluster.x-k8s.io`],
  [`GET ${DEFINITIONS}/nodeidentities.countersign.dev`],
  [`POST ${DEFINITIONS}`, capiMachines()],
  [`GET /apis/cluster.x-k8s.io`],
  [`GET /apis/cluster.x-k8s.io/v1beta2`],
  [`GET /apis/countersign.dev/v1alpha1`],
  [`GET /apis/cluster.x-k8s.io/v1`],
  [`GET /apis/cluster.x-k8s.io/v1beta2/nope`],
  [`GET ${MACHINES}`],
  [`GET ${MACHINES}/none`],
  [`POST ${MACHINES}`, machine("m1", { clusterName: "c1", color: "red", providerID: "aws:///i-1" })],
  [`POST ${MACHINES}`, machine("m1", { clusterName: "c1" })],
  [`GET ${MACHINES}/m1`],
  [`GET ${OLD_MACHINES}/m1`],
  [`GET ${MACHINES}`, undefined, TABLE],
  [`GET ${MACHINES}`],
  [`GET ${OLD_MACHINES}`],
  [`GET ${MACHINES}?fieldSelector=spec.clusterName%3Dc1`],
  [`GET ${MACHINES}?fieldSelector=spec.clusterName%3Dc2`],
  [`GET ${MACHINES}?fieldSelector=spec.providerID%3Dx`],
  [`POST ${MACHINES}`, machine("bad", {})],
  [`POST ${MACHINES}`, machine("bad", { clusterName: 1 })],
  [`POST ${MACHINES}`, machine("bad", { clusterName: "c", replicas: -1 })],
  [`POST ${MACHINES}`, machine("bad", { clusterName: "c", replicas: 1.5 })],
  [`POST ${MACHINES}`, machine("bad", { clusterName: "c", taints: ["a", "a"] })],
  [`POST ${MACHINES}`, machine("bad", { clusterName: "c", taints: ["a", "b", "c", "d"] })],
  [`POST ${MACHINES}`, machine("bad", { clusterName: "c", labels: { a: 1 } })],
  [`POST ${MACHINES}`, machine("bad", { clusterName: "c", port: true })],
  [`POST ${MACHINES}`, machine("bad", { clusterName: "c".repeat(64) })],
  [`POST ${MACHINES}`, machine("Bad", { clusterName: "c" })],
  [`POST ${MACHINES}`, machine("bad", "x" as never)],
  [`POST ${MACHINES}`, { ...machine("bad", {}), kind: "Other" }],
  [`POST ${MACHINES}`, { ...machine("bad", {}), apiVersion: "cluster.x-k8s.io/v1beta1" }],
  [`POST ${MACHINES}?fieldValidation=Strict`, machine("bad", { clusterName: "c", color: "red", bootstrap: { x: 1 } })],
  [`POST ${MACHINES}`, machine("nulls", { clusterName: "c", bootstrap: { dataSecretName: null }, version: null })],
  [`POST ${MACHINES}`, machine("odd", { clusterName: "c", port: "http", anything: { a: [{ b: null }] } })],
  [`PUT ${MACHINES}/m1`, machine("m1", { clusterName: "c1" })],
  [`PUT ${MACHINES}/none`, machine("none", { clusterName: "c1" })],
  [`PATCH ${MACHINES}/m1`, { spec: { version: "v1.36.3", color: "blue" } }, MERGE],
  [`PATCH ${MACHINES}/m1`, { status: { phase: "Running" } }, MERGE],
  [`PATCH ${MACHINES}/m1`, { spec: { clusterName: null } }, MERGE],
  [`PATCH ${MACHINES}/m1`, { spec: { replicas: "x" } }, MERGE],
  [`PATCH ${MACHINES}/m1`, [{ op: "replace", path: "/spec/replicas", value: 3 }], OPERATIONS],
  [`PATCH ${MACHINES}/m1`, { spec: { replicas: 4 } }, STRATEGIC],
  [`PATCH ${MACHINES}/m1/status`, { status: { phase: "Lost" } }, MERGE],
  [`PATCH ${MACHINES}/m1/status`, { status: { conditions: [{ type: "Ready" }] } }, MERGE],
  [`PATCH ${MACHINES}/m1/status`, { status: { conditions: [{ type: "a b", status: "True" }] } }, MERGE],
  [
    `PATCH ${MACHINES}/m1/status`,
    {
      metadata: { labels: { no: "way" } },
      spec: { replicas: 9 },
      status: { phase: "Running", conditions: [{ type: "Ready", status: "True" }] },
    },
    MERGE,
  ],
  [`GET ${MACHINES}/m1/status`],
  [`GET ${MACHINES}/m1/scale`],
  [`GET ${MACHINES}`, undefined, TABLE],
  [`GET ${MACHINES}/m1`, undefined, TABLE],
  [`PATCH ${OLD_MACHINES}/m1`, { spec: { nodeDrainTimeout: "10s" } }, MERGE],
  [`GET ${MACHINES}/m1`],
  [`POST ${IDENTITIES}`, identity("n1")],
  [
    `PATCH ${IDENTITIES}/n1/status`,
    { status: { attestor: "tpm", certificates: [{ serialNumber: "0a" }, { serialNumber: "0a" }] } },
    MERGE,
  ],
  [`PATCH ${IDENTITIES}/n1/status`, { status: { attestor: "tpm", certificates: [{ serialNumber: "XY" }] } }, MERGE],
  [
    `PATCH ${IDENTITIES}/n1/status`,
    { status: { attestor: "tpm", certificates: [{ serialNumber: "0a", notAfter: "2026-01-02T03:04:05Z" }] } },
    MERGE,
  ],
  [`GET ${IDENTITIES}`, undefined, TABLE],
  [`POST ${POLICIES}`, policy("p", {})],
  [`POST ${POLICIES}`, policy("q", { rules: [{ a: 1 }] })],
  [`POST ${POLICIES}`, policy("q", { mode: "Other", maxNodesPerToken: 0 })],
  [`POST ${STRICT}?dryRun=All`, check({})],
  [`POST ${STRICT}?dryRun=All`, check({ boolean: true, choice: 1, not: "x", id: "x" })],
  [`POST ${STRICT}?dryRun=All`, { ...check({}), spec: undefined }],
  ...(
    [
      { number: 0 },
      { number: 10 },
      { even: 3 },
      { number: "1" },
      { boolean: "true" },
      { pattern: "A" },
      { pattern: "abc-1234" },
      { time: "yesterday" },
      { address: "300.1.1.1" },
      { range: "10.0.0.0" },
      { id: "x" },
      { bytes: "???" },
      { wait: "soon" },
      { list: [1] },
      { list: [1, "x"] },
      { items: [{ name: "a" }, { name: "a" }] },
      { items: [{ port: 1 }] },
      { items: ["x"] },
      { any: {} },
      { not: "never" },
      { choice: 4 },
      { choice: "1" },
      { embedded: {} },
      { embedded: { apiVersion: "v1", kind: "" } },
    ] as object[]
  ).map((spec): Row => [`POST ${STRICT}?dryRun=All`, check(spec)]),
  [`POST ${DEFINITIONS}`, { ...definitionOf(), metadata: { name: "x" } }],
  [`POST ${DEFINITIONS}`, definitionOf({ group: "example" })],
  [`POST ${DEFINITIONS}`, definitionOf({ group: "x.k8s.io" })],
  [`POST ${DEFINITIONS}`, broken({ properties: { spec: {} } })],
  [`POST ${DEFINITIONS}`, broken({ properties: { spec: { type: "array" } } })],
  [`POST ${DEFINITIONS}`, broken({ properties: { spec: { type: "string", pattern: "(?=x)" } } })],
  [`POST ${DEFINITIONS}`, broken({ properties: { spec: { type: "string", anyOf: [{ type: "string" }] } } })],
  [`POST ${DEFINITIONS}`, broken({ properties: { spec: { type: "integer", default: "x" } } })],
  [`POST ${DEFINITIONS}`, broken({ properties: { spec: { type: "object", default: { x: 1 } } } })],
  [`POST ${DEFINITIONS}`, broken({ properties: { spec: { type: "other" } } })],
  [`POST ${DEFINITIONS}`, broken({ properties: { spec: { type: "object", $ref: "#/x" } } })],
  [
    `POST ${DEFINITIONS}`,
    broken({ properties: { metadata: { type: "object", properties: { labels: { type: "object" } } } } }),
  ],
  [`POST ${DEFINITIONS}`, broken({ additionalProperties: { type: "string" } })],
  [
    `POST ${DEFINITIONS}`,
    broken({ properties: { spec: { type: "array", items: { type: "object" }, "x-kubernetes-list-type": "map" } } }),
  ],
  [`POST ${DEFINITIONS}`, broken({ properties: { spec: { type: "object", "x-kubernetes-embedded-resource": true } } })],
  [
    `POST ${DEFINITIONS}`,
    definitionOf({ version: { additionalPrinterColumns: [{ name: "A", type: "x", jsonPath: "a" }] } }),
  ],
  [`POST ${DEFINITIONS}`, definitionOf({ version: { selectableFields: [{ jsonPath: ".spec.x" }] } })],
  [`PATCH ${DEFINITIONS}/machines.cluster.x-k8s.io`, { spec: { scope: "Cluster" } }, MERGE],
  [`PATCH ${DEFINITIONS}/machines.cluster.x-k8s.io`, { spec: { group: "other.io" } }, MERGE],
  [`DELETE ${MACHINES}/odd`],
  [`DELETE ${MACHINES}/none`],
  [`DELETE ${MACHINES}`],
];

/** Equal in status and reason only: the words are those of Go's decoder, or a whole definition is repeated in them. */
const SAME_STATUS: readonly Row[] = [
  [`POST ${DEFINITIONS}`, definitionOf({ version: { storage: false } })],
  [`POST ${DEFINITIONS}`, definitionOf({ version: { schema: { openAPIV3Schema: 5 } } })],
  [`POST ${DEFINITIONS}`, definitionOf({ plural: "Widgets" })],
  [`POST ${MACHINES}`, { ...machine("bad", {}), metadata: { name: 5 } }],
  [`POST ${MACHINES}`, { ...machine("bad", {}), metadata: "x" }],
  [`POST ${IDENTITIES}`, { metadata: { name: "n1" }, spec: { nodeName: "n1" } }],
  // Which of two mistakes of one alternative is told depends on the order of a Go map.
  [`POST ${STRICT}?dryRun=All`, check({ all: { a: 6 } })],
];

/** Of one server only, or different at every run. */
const IGNORED: ReadonlySet<string> = new Set([
  "uid",
  "resourceVersion",
  "creationTimestamp",
  "deletionTimestamp",
  "lastTransitionTime",
  "description",
  "managedFields",
  "causes",
]);

function comparable(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(comparable);
  if (typeof value === "string") return value.replace(/\bc-[a-z0-9]{5}\b/, "c-<random>").replace(/^\d+s$/, "AGE");
  if (typeof value !== "object" || value === null) return value;
  const kept = Object.entries(value).filter(([key]) => !IGNORED.has(key));
  return Object.fromEntries(kept.map(([key, inner]) => [key, ORDERLESS[key]?.(inner) ?? comparable(inner)]));
}

/** A real server tells these in the order of a Go map. */
const ORDERLESS: Readonly<Record<string, (value: unknown) => unknown>> = {
  message: sorted,
  resources: (value) => (comparable(value) as { name: string }[]).sort((a, b) => (a.name < b.name ? -1 : 1)),
};

function sorted(message: unknown): unknown {
  const text = comparable(message);
  const list = /^(.*? is invalid: )\[(.*)\]$/.exec(String(text));
  if (list === null) return text;
  const [, start = "", errors = ""] = list;
  return (
    start +
    errors
      .split(/, (?=[\w<][\w<>.[\]-]*: )/)
      .sort()
      .join(", ")
  );
}

async function ask([request, body, headers = {}]: Row): Promise<readonly [Received, Received]> {
  const [method = "", path = ""] = request.split(" ");
  const sent = { method, path, headers, ...(body === undefined ? {} : { body }) };
  return Promise.all([callApi(ours, sent), callApi(theirs, sent)]);
}

const titled = (rows: readonly Row[]) =>
  rows.map((row, at) => [`${at + 1}. ${row[0]} ${JSON.stringify(row[1] ?? "").slice(0, 120)}`, row] as const);

describe("custom resources on the embedded server are like those on a real one", () => {
  it.each(titled(SAME))("%s", async (_title, row) => {
    const [mine, other] = await ask(row);
    expect(mine.status, mine.text).toBe(other.status);
    expect(comparable(mine.body ?? mine.text)).toEqual(comparable(other.body ?? other.text));
  });

  it.each(titled(SAME_STATUS))("in status and reason: %s", async (_title, row) => {
    const [mine, other] = await ask(row);
    expect([mine.status, mine.body?.reason]).toEqual([other.status, other.body?.reason]);
  });

  it("tells the same warnings", async () => {
    const rows: Row[] = [
      [`GET ${OLD_MACHINES}`],
      [`POST ${MACHINES}?dryRun=All`, machine("warned", { clusterName: "c", color: "red" })],
      [`POST ${DEFINITIONS}?dryRun=All`, broken({ properties: { spec: { type: "string", format: "colour" } } })],
    ];
    for (const row of rows) {
      const [mine, other] = await ask(row);
      expect(mine.headers["warning"]).toEqual(other.headers["warning"]);
      expect(mine.headers["warning"]).toBeDefined();
    }
  });
});

describe("kubectl", () => {
  const kubectl = async (one: ApiEndpoint, args: readonly string[]) => {
    const name = one === ours ? "ours" : "theirs";
    const paths = { cert: join(workspace.dir, `${name}.crt`), key: join(workspace.dir, `${name}.key`) };
    writeFileSync(paths.cert, one.adminCertPem);
    writeFileSync(paths.key, one.adminKeyPem, { mode: 0o600 });
    const access = [
      `--server=https://127.0.0.1:${one.port}`,
      "--insecure-skip-tls-verify",
      `--client-certificate=${paths.cert}`,
      `--client-key=${paths.key}`,
      `--cache-dir=${join(workspace.dir, `${name}-cache`)}`,
    ];
    const { stdout, stderr, code } = await real.kubectl([...access, ...args]);
    expect(code, stderr).toBe(0);
    return stdout.replace(/\b\d+s\b/g, "AGE").replace(/ +/g, " ");
  };
  const both = async (...args: string[]) => {
    const [mine, other] = [await kubectl(ours, args), await kubectl(theirs, args)];
    expect(mine).toBe(other);
    return mine;
  };
  const file = (name: string, object: object) => {
    const path = join(workspace.dir, name);
    writeFileSync(path, JSON.stringify(object));
    return path;
  };

  it("creates a definition, waits for it and uses it", async () => {
    const path = file("widgets.json", definitionOf({ names: { shortNames: ["wd"] } }));
    await both("apply", "-f", path);
    await both("wait", "--for", "condition=established", "crd/widgets.example.com", "--timeout=20s");
    const widget = file("widget.json", {
      apiVersion: "example.com/v1",
      kind: "Widget",
      metadata: { name: "w" },
      spec: { a: 1 },
    });
    await both("apply", "-f", widget);
    await both("apply", "-f", widget);
    expect(await both("get", "wd")).toMatch(/^NAME AGE\nw AGE$/m);
    expect(await both("get", "widgets", "w", "-o", "jsonpath={.spec.a}")).toBe("1");
    await both("patch", "widget", "w", "--type=merge", "-p", '{"spec":{"a":2}}');
    await both("label", "widget", "w", "x=y");
    await both("delete", "widget", "w");
    await both("delete", "crd", "widgets.example.com", "--timeout=20s");
  });

  it("prints the columns of a definition", async () => {
    const path = file("machine.json", machine("printed", { clusterName: "c", providerID: "aws:///i-9" }));
    await both("create", "-f", path);
    expect(await both("get", "machines.cluster.x-k8s.io", "-o", "wide")).toMatch(
      /^NAME CLUSTER READY REPLICAS AGE PROVIDERID$/m,
    );
    expect(await both("get", "ma")).toMatch(/^NAME CLUSTER READY REPLICAS AGE$/m);
  });

  it("knows the kinds by all their names", async () => {
    const shown = await both("api-resources", "--api-group=cluster.x-k8s.io", "-o", "wide");
    expect(shown).toContain("machines ma cluster.x-k8s.io/v1beta2 true Machine");
    await both("api-resources", "--api-group=countersign.dev", "-o", "wide");
  });

  it("applies on the server", async () => {
    const path = file("applied.json", machine("applied", { clusterName: "c", taints: ["a"] }));
    await both("apply", "--server-side", "-f", path);
    await both(
      "apply",
      "--server-side",
      "--field-manager=other",
      "-f",
      file("more.json", machine("applied", { clusterName: "c", taints: ["b"] })),
    );
    expect(await both("get", "ma", "applied", "-o", "jsonpath={.spec.taints}")).toBe('["a","b"]');
  });

  it("explains the fields of a definition", async () => {
    const lines = async (one: ApiEndpoint, ...path: string[]) => {
      const text = await kubectl(one, ["explain", ...path, "--api-version=cluster.x-k8s.io/v1beta2"]);
      return text.split("\n").filter((line) => line.includes("<"));
    };
    for (const path of ["machine.spec", "machine.spec.infrastructureRef", "machine.status.conditions"]) {
      expect(await lines(ours, path)).toEqual(await lines(theirs, path));
    }
  });
});

/** All events of a watch until the server ends it; the first one has come when this returns. */
async function follow(one: ApiEndpoint, path: string) {
  const lineOf = ({ type, object }: { type: string; object: { metadata: { name: string } } }) =>
    `${type} ${object.metadata.name}`;
  const events = watchApi(one, { path: `${path}?watch=1` });
  const seen = [lineOf((await events.next()).value)];
  const ended = async () => {
    for await (const event of events) seen.push(lineOf(event));
    return seen;
  };
  return { ended: ended() };
}

describe("a definition that changes", () => {
  it("ends the watches on its kind", async () => {
    await ask([`POST ${POLICIES}`, policy("watched", {})]);
    const watches = await Promise.all([ours, theirs].map((one) => follow(one, POLICIES)));
    const change = { spec: { names: { categories: ["countersign"] } } };
    await ask([`PATCH ${DEFINITIONS}/joinpolicies.countersign.dev`, change, MERGE]);
    const [mine, other] = await Promise.all(watches.map(({ ended }) => ended));
    expect(mine).toEqual(other);
  });
});

describe("a definition that goes", () => {
  it("takes its objects with it, and ends the watches after they have seen it", async () => {
    await ask([`POST ${IDENTITIES}`, identity("last")]);
    const watches = await Promise.all([ours, theirs].map((one) => follow(one, IDENTITIES)));
    const [mine, other] = await ask([`DELETE ${DEFINITIONS}/nodeidentities.countersign.dev`]);
    expect(mine.status).toBe(other.status);
    expect(comparable(mine.body.metadata.finalizers)).toEqual(comparable(other.body.metadata.finalizers));
    for (const one of [ours, theirs]) {
      await expect
        .poll(async () => (await callApi(one, { path: `${DEFINITIONS}/nodeidentities.countersign.dev` })).status, {
          timeout: patient(30_000),
        })
        .toBe(404);
      expect((await callApi(one, { path: IDENTITIES })).status).toBe(404);
    }
    expect(embedded.storage.list({ prefix: "/countersign.dev/nodeidentities/" }).items).toEqual([]);
    const [seen = [], seenThere = []] = await Promise.all(watches.map(({ ended }) => ended));
    expect(seen.at(-1)).toMatch(/^DELETED /);
    expect(new Set(seen)).toEqual(new Set(seenThere));
  });
});
