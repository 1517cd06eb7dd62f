// What Kubernetes' own end-to-end tests look for beside the kinds: OpenAPI in both versions, the scale of custom
// resources, hashes of storage versions, the cause of a refusal, the classes and sysctls of pods. Each on the embedded
// server and on a real one.

import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { definitionOf } from "../builders/definitions.ts";
import { callApi } from "../fakes/api-client.ts";
import { type Both, comparable, type Row, startBoth } from "./harness/both.ts";
import { waitFor } from "./harness/index.ts";

const DEFINITIONS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
const FLEETS = "/apis/parity.example.com/v1/namespaces/default/fleets";
const MERGE = { "content-type": "application/merge-patch+json" };

const text = { type: "string" };
const FLEET_SCHEMA = {
  type: "object",
  description: "Ships.",
  properties: {
    spec: {
      type: "object",
      required: ["name", "maybe"],
      properties: {
        name: { ...text, minLength: 1, anyOf: [{ pattern: "^a" }, { pattern: "^b" }] },
        maybe: { type: "object", nullable: true, properties: { a: text } },
        open: { type: "object", "x-kubernetes-preserve-unknown-fields": true, properties: { a: text } },
        size: { "x-kubernetes-int-or-string": true },
        replicas: { type: "integer", maximum: 9 },
        // An object within the object, closed and open.
        part: { type: "object", "x-kubernetes-embedded-resource": true, properties: { spec: { type: "object" } } },
        any: {
          type: "object",
          "x-kubernetes-embedded-resource": true,
          "x-kubernetes-preserve-unknown-fields": true,
        },
        list: { type: "array", items: { type: "object", properties: { a: text } } },
        labels: { type: "object", additionalProperties: text },
      },
    },
    status: { type: "object", properties: { replicas: { type: "integer" }, selector: text } },
  },
};

/** A kind of this group; with the subresource scale. */
function defined(kind: string, plural: string, schema: object) {
  const definition = definitionOf({ group: "parity.example.com", kind, plural, schema: schema as never });
  const [version] = definition.spec.versions ?? [];
  const scale = {
    specReplicasPath: ".spec.replicas",
    statusReplicasPath: ".status.replicas",
    labelSelectorPath: ".status.selector",
  };
  return { ...definition, spec: { ...definition.spec, versions: [{ ...version, subresources: { scale } }] } };
}

let both: Both;
beforeAll(async () => {
  both = await startBoth();
  const open = {
    type: "object",
    "x-kubernetes-preserve-unknown-fields": true,
    properties: { spec: { type: "object" } },
  };
  for (const definition of [defined("Fleet", "fleets", FLEET_SCHEMA), defined("Open", "opens", open)])
    for (const { status, text: why } of await both.ask(["admin", `POST ${DEFINITIONS}`, definition]))
      expect(status, why).toBe(201);
  await waitFor({
    what: "both servers to serve and to document the kinds",
    limitMs: 60_000,
    probe: async () => {
      const answers = await both.ask(["admin", "GET /openapi/v2"]);
      const isTold = answers.every(({ body }) => body.definitions["com.example.parity.v1.OpenList"] !== undefined);
      return isTold && (await both.ask(["admin", `GET ${FLEETS}`])).every(({ status }) => status === 200);
    },
  });
});
afterAll(() => both.stop());

interface Documents {
  readonly definitions: Readonly<Record<string, unknown>>;
  readonly components: { readonly schemas: Readonly<Record<string, unknown>> };
}

describe("OpenAPI", () => {
  const KINDS = ["Fleet", "FleetList", "Open", "OpenList"].map((kind) => `com.example.parity.v1.${kind}`);

  it.each(KINDS)("of version 2 is the same about %s", async (name) => {
    const [mine, other] = (await both.ask(["admin", "GET /openapi/v2"])).map(({ body }) => body as Documents);
    expect(mine?.definitions[name]).toEqual(other?.definitions[name]);
  });

  it.each(KINDS)("of version 3 is the same about %s", async (name) => {
    const [mine, other] = await both.ask(["admin", "GET /openapi/v3/apis/parity.example.com/v1"]);
    expect(mine.body.components.schemas[name]).toEqual(other.body.components.schemas[name]);
  });

  it("of version 3 says apiVersion, kind, metadata and lists of built-in kinds in the same words", async () => {
    const [mine, other] = await both.ask(["admin", "GET /openapi/v3/api/v1"]);
    for (const name of ["Node", "NodeList", "ConfigMap", "PodList"].map((kind) => `io.k8s.api.core.v1.${kind}`)) {
      const [ours, theirs] = [mine.body.components.schemas[name], other.body.components.schemas[name]];
      for (const field of ["apiVersion", "kind", "metadata"])
        expect(ours.properties[field].description).toBe(theirs.properties[field].description);
      expect(ours.required).toEqual(theirs.required);
    }
  });

  it("of version 2 in protobuf is read by kubectl, which explains the same fields", async () => {
    for (const what of ["fleet.spec", "node.spec"]) {
      const printed = await both.kubectl(["explain", what, "--output=plaintext-openapiv2"]);
      const [mine, theirs] = printed.map((page) => page.split("\n").filter((line) => /^ {3}\w+\t</.test(line)));
      expect(mine).toEqual(theirs);
    }
  });
});

describe("the same answers", () => {
  const fleet = (more: object) => {
    return { apiVersion: "parity.example.com/v1", kind: "Fleet", metadata: { name: "f" }, ...more };
  };
  const scale = (replicas: number) => {
    return {
      apiVersion: "autoscaling/v1",
      kind: "Scale",
      metadata: { name: "f", namespace: "default" },
      spec: { replicas },
    };
  };
  const pod = (name: string, spec: object) => {
    return { metadata: { name }, spec: { containers: [{ name: "c", image: "i" }], ...spec } };
  };
  const runtime = (name: string, more: object) => ({ metadata: { name }, handler: name, ...more });
  const PODS = "/api/v1/namespaces/default/pods";
  const RUNTIMES = "/apis/node.k8s.io/v1/runtimeclasses";
  const SCHEDULING = { nodeSelector: { a: "b" }, tolerations: [{ key: "k", operator: "Exists" }] };
  const ROWS: readonly Row[] = [
    ["admin", `POST ${FLEETS}`, fleet({ spec: { name: "a", maybe: {}, replicas: 2 }, status: { selector: "a=b" } })],
    ["admin", `GET ${FLEETS}/f/scale`],
    ["admin", `PUT ${FLEETS}/f/scale`, scale(3)],
    ["admin", `PATCH ${FLEETS}/f/scale`, { spec: { replicas: 4 } }, MERGE],
    ["admin", `PATCH ${FLEETS}/f/scale`, { spec: { replicas: -1 } }, MERGE],
    ["admin", `PATCH ${FLEETS}/f/scale`, { spec: { replicas: 10 } }, MERGE],
    ["admin", `PUT ${FLEETS}/f/scale`, scale(0)],
    ["admin", `GET ${FLEETS}/none/scale`],
    ...["part", "any"].map((field): Row => {
      const metadata = { name: "p", namespace: "n", color: "red" };
      const spec = { name: "a", maybe: {}, [field]: { apiVersion: "x/v1", kind: "Part", metadata } };
      return ["admin", `POST ${FLEETS}?dryRun=All&fieldValidation=Strict`, fleet({ spec })];
    }),
    ["admin", `GET ${FLEETS}/f`],
    ["admin", "GET /apis/parity.example.com/v1"],
    ["admin", `POST ${RUNTIMES}`, runtime("kata", { overhead: { podFixed: { cpu: "250m" } }, scheduling: SCHEDULING })],
    ["admin", `POST ${PODS}?dryRun=All`, pod("p", { runtimeClassName: "none" })],
    ["admin", `POST ${PODS}?dryRun=All`, pod("p", { runtimeClassName: "kata" })],
    ["admin", `POST ${PODS}?dryRun=All`, pod("p", { runtimeClassName: "kata", nodeSelector: { a: "c" } })],
    ["admin", `POST ${PODS}?dryRun=All`, pod("p", { runtimeClassName: "kata", overhead: { cpu: "0.25" } })],
    ["admin", `POST ${PODS}?dryRun=All`, pod("p", { runtimeClassName: "kata", overhead: { cpu: "1" } })],
    ["admin", `POST ${PODS}?dryRun=All`, pod("p", { overhead: { cpu: "1" } })],
    ["admin", `POST ${PODS}?dryRun=All`, pod("p", { terminationGracePeriodSeconds: -1 })],
    ...["foo-", "bar..", "kernel.shmmax", "net/ipv4.x", ""].map((name): Row => {
      return ["admin", `POST ${PODS}?dryRun=All`, pod("p", { securityContext: { sysctls: [{ name, value: "1" }] } })];
    }),
    [
      "admin",
      `POST ${PODS}?dryRun=All`,
      pod("p", {
        hostNetwork: true,
        hostIPC: true,
        securityContext: { sysctls: ["net.a", "kernel.sem"].map((name) => ({ name, value: "1" })) },
      }),
    ],
  ];

  it.each(ROWS.map((row, at) => [`${at + 1}. ${row[1]} ${JSON.stringify(row[2] ?? "").slice(0, 110)}`, row] as const))(
    "%s",
    async (_title, row) => {
      const [mine, other] = await both.ask(row);
      expect(mine.status, mine.text).toBe(other.status);
      expect(comparable(mine.body)).toEqual(comparable(other.body));
    },
  );
});

describe("a namespace that is being deleted", () => {
  it("is the cause of a refusal, which clients look for", async () => {
    const namespace = { metadata: { name: "closing", finalizers: ["example.com/wait"] } };
    await both.ask(["admin", "POST /api/v1/namespaces", namespace]);
    await both.ask(["admin", "DELETE /api/v1/namespaces/closing"]);
    const late: Row = ["admin", "POST /api/v1/namespaces/closing/configmaps", { metadata: { name: "late" } }];
    const [mine, other] = await both.ask(late);
    expect([mine.status, mine.body]).toEqual([other.status, other.body]);
    expect(mine.body.details.causes[0].reason).toBe("NamespaceTerminating");
  });
});

describe("what there is beside the kinds", () => {
  it("the root lists what a real one lists, as far as it is served", async () => {
    const [mine, other] = await both.ask(["admin", "GET /"]);
    expect(mine.status).toBe(200);
    const known = new Set<string>(other.body.paths);
    for (const path of mine.body.paths) expect(known, path).toContain(path);
    const statuses = await Promise.all(
      mine.body.paths.map(async (path: string) => (await callApi(both.ours, { path })).status),
    );
    expect(new Set(statuses)).toEqual(new Set([200]));
  });

  it("the answers of the health checks are metrics", async () => {
    await both.ask(["admin", "GET /readyz"]);
    const [mine, other] = await both.ask(["admin", "GET /metrics/slis"]);
    const types = (page: string) => page.split("\n").filter((line) => line.startsWith("# TYPE kubernetes_"));
    expect(types(mine.text)).toEqual(types(other.text));
  });
});
