// Patches, applies and field ownership, on the embedded API server and on a real kube-apiserver: the same requests in
// the same order get the same answers, owners included. Then the real kubectl, on both.

import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { aCsr, forNode } from "../builders/csr.ts";
import { writeAdminKubeconfig } from "../builders/kubeconfig-file.ts";
import { type ApiEndpoint, asRoot, callApi, type Received } from "../fakes/api-client.ts";
import { startTestApiServer, type TestApiServer } from "../fakes/api-server.ts";
import { type ControlPlane, startControlPlane } from "./harness/index.ts";

let embedded: TestApiServer;
let real: ControlPlane;
let ours: ApiEndpoint;
let theirs: ApiEndpoint;

beforeAll(async () => {
  [embedded, real] = await Promise.all([startTestApiServer(), startControlPlane({ keyAlgorithm: "ECDSA-P256" })]);
  [ours, theirs] = [asRoot(embedded), asRoot(real)];
});
afterAll(() => Promise.all([embedded.close(), real.stop()]));

const MAPS = "/api/v1/namespaces/default/configmaps";
const NODES = "/api/v1/nodes";
const LEASES = "/apis/coordination.k8s.io/v1/namespaces/default/leases";
const CSRS = "/apis/certificates.k8s.io/v1/certificatesigningrequests";
const ROLES = "/apis/rbac.authorization.k8s.io/v1/clusterroles";
const PODS = "/api/v1/namespaces/default/pods";

const JSON_BODY = "application/json";
const YAML = "application/yaml";
const MERGE = "application/merge-patch+json";
const STRATEGIC = "application/strategic-merge-patch+json";
const OPERATIONS = "application/json-patch+json";
const APPLY = "application/apply-patch+yaml";

type Row = readonly [request: string, body?: unknown, type?: string];

const map = (more: object = {}) => ({ apiVersion: "v1", kind: "ConfigMap", ...more });
const node = (more: object = {}) => ({ apiVersion: "v1", kind: "Node", ...more });
const csr = () => {
  const { kind, apiVersion, spec } = aCsr(forNode("n1"));
  const { request, signerName, usages } = spec;
  return { kind, apiVersion, metadata: { generateName: "csr-" }, spec: { request, signerName, usages } };
};
const condition = (type: string, status: string) => ({
  type,
  status,
  lastHeartbeatTime: "2026-01-01T00:00:00Z",
  lastTransitionTime: "2026-01-01T00:00:00Z",
});
const READY = condition("Ready", "True");
const DISK = condition("DiskPressure", "False");
const MEMORY = condition("MemoryPressure", "False");

const TWICE_IN_OPERATIONS = '[{"op":"test","op":"add","op":"add","path":"/data/c","value":"d"}]';
const TWICE_APPLIED = "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\ndata:\n  t: u\n  t: v\n";

/** Equal in status, warnings and every field of the body, but for those of `IGNORED`. */
const SAME: readonly Row[] = [
  // Field validation.
  [`POST ${MAPS}`, { metadata: { name: "a", foo: 1 }, bar: {}, data: { x: "y" }, spec: [{ a: 1 }] }],
  [`POST ${MAPS}?fieldValidation=Strict`, { metadata: { name: "b" }, bar: 1 }],
  [`POST ${MAPS}?fieldValidation=Ignore`, { metadata: { name: "b" }, bar: 1 }],
  [`POST ${MAPS}?fieldValidation=Nope`, { metadata: { name: "c" } }],
  [`POST ${MAPS}?fieldManager=${"x".repeat(129)}`, { metadata: { name: "c" } }],
  [`POST ${MAPS}?dryRun=x`, { metadata: { name: "c" } }],
  [`POST ${MAPS}?fieldValidation=Strict`, '{"metadata":{"name":"c","name":"d"},"data":{"x":"y","x":"z"}}'],
  [`POST ${MAPS}?dryRun=All`, '{"metadata":{"name":"c","name":"d"},"data":{"x":"y","x":"z"}}'],
  // YAML: repeated keys, tags, further documents.
  [`POST ${MAPS}?fieldValidation=Strict`, "metadata:\n  name: yaml\ndata:\n  a: b\n  a: c\n  a: d\n", YAML],
  [`POST ${MAPS}?dryRun=All`, "metadata:\n  name: yaml\ndata:\n  a: b\n  a: c\n", YAML],
  [`POST ${MAPS}?dryRun=All&fieldValidation=Ignore`, "metadata:\n  name: yaml\ndata:\n  a: b\n  a: c\n", YAML],
  [`POST ${MAPS}?dryRun=All`, "metadata:\n  name: !!str yaml\ndata:\n  a: !!str 1\n  b: !mine c\n", YAML],
  [`POST ${MAPS}?dryRun=All`, "metadata:\n  name: yaml\n---\nmetadata:\n  name: other\n", YAML],
  [`POST ${MAPS}?dryRun=All`, "{metadata: {name: yaml}, data: {a: b}}", YAML],
  [`POST ${MAPS}?dryRun=All`, "metadata:\n  name: y\n", YAML],
  [`POST ${MAPS}?dryRun=All`, "metadata:\n  name: yaml\nimmutable: on\n", YAML],
  [`POST ${LEASES}?dryRun=All`, "metadata:\n  name: yaml\nspec:\n  leaseDurationSeconds: 0100\n", YAML],
  [`PUT ${MAPS}/a?fieldValidation=Strict`, { metadata: { name: "a" }, data: { x: "y" }, bar: 1 }],
  [`PUT ${MAPS}/a`, { metadata: { name: "a" }, data: { x: "y" }, bar: 1 }],
  [`PATCH ${MAPS}/a`, { bar: 1, data: { q: "r" } }, STRATEGIC],
  [`PATCH ${MAPS}/a`, { bar: 1, data: { q: "r" } }, MERGE],
  [`PATCH ${MAPS}/a`, { metadata: { labels: {} }, data: {} }, MERGE],
  // Apply.
  [`PATCH ${MAPS}/a?fieldManager=me`, { data: { q: "mine" } }, APPLY],
  [`PATCH ${MAPS}/a?fieldManager=me`, map({ data: { q: "mine" } }), APPLY],
  [`PATCH ${MAPS}/a`, map({ data: { q: "mine" } }), APPLY],
  [`PATCH ${MAPS}/a?fieldManager=me&force=true`, map({ data: { q: "mine" } }), APPLY],
  [`PATCH ${MAPS}/a?fieldManager=me&force=true`, map({ data: { q: "mine" } }), APPLY],
  [`PATCH ${MAPS}/a?fieldManager=you`, map({ data: { q: "yours", x: "z" } }), APPLY],
  [`PATCH ${MAPS}/a?fieldManager=me`, map(), APPLY],
  [`PATCH ${MAPS}/a?fieldManager=me`, map({ metadata: { managedFields: [{}] } }), APPLY],
  [`PATCH ${MAPS}/a?fieldManager=me`, map({ kind: "Secret" }), APPLY],
  [`PATCH ${MAPS}/a?fieldManager=me`, map({ apiVersion: "v2" }), APPLY],
  [`PATCH ${MAPS}/a?fieldManager=me&force=true`, { data: { x: "y" } }, MERGE],
  [`PATCH ${MAPS}/new?fieldManager=me`, map({ data: { x: "y" } }), APPLY],
  [`PATCH ${MAPS}/new?fieldManager=me`, map({ metadata: { name: "other" }, data: { x: "y" } }), APPLY],
  [`PATCH ${MAPS}/new?fieldManager=me&dryRun=All`, map({ metadata: { name: "new" }, data: { x: "y" } }), APPLY],
  [
    `PATCH ${MAPS}/new?fieldManager=me`,
    map({ metadata: { name: "new", labels: { a: "b" } }, data: { x: "y" } }),
    APPLY,
  ],
  [`PATCH ${MAPS}/new?fieldManager=me`, map({ metadata: { resourceVersion: "1" }, data: { x: "z" } }), APPLY],
  [`PATCH ${MAPS}/new?fieldManager=me`, "apiVersion: v1\nkind: ConfigMap\ndata:\n  x: yaml\n", APPLY],
  [`PATCH ${MAPS}/new?fieldManager=two`, map({ data: { x: "yaml", w: "v" } }), APPLY],
  [`PATCH ${MAPS}/new?fieldManager=me`, map(), APPLY],
  [`PATCH ${MAPS}/new?fieldManager=two`, map(), APPLY],
  // Owners after ordinary writes.
  [`POST ${MAPS}`, { metadata: { name: "o", labels: { a: "1" } }, data: { x: "1" } }],
  [`PUT ${MAPS}/o?fieldManager=second`, { metadata: { name: "o", labels: { a: "2" } }, data: { x: "1", y: "2" } }],
  [`PATCH ${MAPS}/o?fieldManager=third`, { data: { x: "3" } }, MERGE],
  [`PATCH ${MAPS}/o?fieldManager=third`, { data: { x: "3" } }, MERGE],
  [`PATCH ${MAPS}/o`, [{ op: "remove", path: "/data/y" }], OPERATIONS],
  [`PATCH ${MAPS}/o`, { metadata: { managedFields: [{}] } }, MERGE],
  [`PATCH ${MAPS}/o`, { data: { x: "4" } }, MERGE],
  [`PATCH ${MAPS}/o?fieldManager=me&force=true`, map({ data: { x: "5" } }), APPLY],
  [`POST ${LEASES}`, { metadata: { name: "l" }, spec: { holderIdentity: "x", leaseDurationSeconds: 40 } }],
  [`PATCH ${LEASES}/l`, { spec: { holderIdentity: "y" } }, STRATEGIC],
  [`POST ${ROLES}`, { metadata: { name: "r" }, rules: [{ verbs: ["get"], apiGroups: [""], resources: ["pods"] }] }],
  [`PATCH ${ROLES}/r`, { rules: [{ verbs: ["list"], apiGroups: [""], resources: ["pods"] }] }, STRATEGIC],
  ["POST /api/v1/namespaces", { metadata: { name: "owned" } }],
  ["POST /api/v1/namespaces/default/secrets", { metadata: { name: "s" }, stringData: { a: "b" }, type: "Opaque" }],
  [`POST ${CSRS}`, csr()],
  // What a kubelet does.
  [
    `POST ${NODES}`,
    {
      metadata: { name: "n1", labels: { a: "b" } },
      spec: { podCIDR: "10.0.0.0/24", podCIDRs: ["10.0.0.0/24"], taints: [{ key: "a", effect: "NoSchedule" }] },
      status: {
        conditions: [READY],
        addresses: [
          { type: "InternalIP", address: "10.1.1.1" },
          { type: "InternalIP", address: "10.1.1.2" },
        ],
      },
    },
  ],
  [
    `PATCH ${NODES}/n1/status`,
    {
      metadata: { annotations: { "volumes.kubernetes.io/controller-managed-attach-detach": "true" } },
      status: {
        "$setElementOrder/conditions": [{ type: "MemoryPressure" }, { type: "DiskPressure" }, { type: "Ready" }],
        conditions: [MEMORY, DISK, { type: "Ready", status: "False" }],
        addresses: [
          { type: "InternalIP", address: "10.2.2.2" },
          { type: "Hostname", address: "n1" },
          { $patch: "replace" },
        ],
        capacity: { cpu: "2", memory: "1Gi" },
      },
    },
    STRATEGIC,
  ],
  [
    `PATCH ${NODES}/n1/status`,
    {
      status: {
        "$setElementOrder/conditions": [{ type: "MemoryPressure" }, { type: "DiskPressure" }, { type: "Ready" }],
        conditions: [{ lastHeartbeatTime: "2026-01-02T00:00:00Z", type: "Ready" }],
      },
    },
    STRATEGIC,
  ],
  [`PATCH ${NODES}/n1/status`, { status: { conditions: [{ $patch: "delete", type: "DiskPressure" }] } }, STRATEGIC],
  [`PATCH ${NODES}/n1/status`, {}, STRATEGIC],
  [`PATCH ${NODES}/n1`, { metadata: { finalizers: ["a.b/c"] }, spec: { unschedulable: true } }, STRATEGIC],
  [`PATCH ${NODES}/n1`, { metadata: { finalizers: ["d.e/f"] } }, STRATEGIC],
  [`PATCH ${NODES}/n1`, { metadata: { "$deleteFromPrimitiveList/finalizers": ["a.b/c"] } }, STRATEGIC],
  [`PATCH ${NODES}/n1`, { metadata: { labels: { $patch: "replace", x: "y" } } }, STRATEGIC],
  [`PATCH ${NODES}/n1`, { metadata: { labels: { $patch: "delete" } } }, STRATEGIC],
  [`PATCH ${NODES}/n1`, { metadata: { labels: { $patch: "merge", q: "z" } } }, STRATEGIC],
  [`PATCH ${NODES}/n1`, { metadata: { labels: null } }, STRATEGIC],
  [`PATCH ${NODES}/n1`, { spec: { taints: [{ key: "b", effect: "NoSchedule" }] } }, STRATEGIC],
  [`PATCH ${NODES}/n1`, { spec: { $retainKeys: ["podCIDR"], unschedulable: true } }, STRATEGIC],
  [
    `PATCH ${NODES}/n1?fieldManager=ssa`,
    node({ spec: { taints: [{ key: "b", effect: "NoSchedule" }] }, metadata: { labels: { s: "1" } } }),
    APPLY,
  ],
  [`PATCH ${NODES}/n1/status?fieldManager=ssa`, node({ status: { conditions: [MEMORY] } }), APPLY],
  [`PATCH ${NODES}/n1/status?fieldManager=ssa&force=true`, node({ status: { conditions: [DISK] } }), APPLY],
  [`PATCH ${NODES}/none`, {}, STRATEGIC],
  [`PATCH ${NODES}/none/status?fieldManager=ssa`, node(), APPLY],
];

/** Equal in status and reason: the message repeats what was sent there, and does not here. */
const SAME_STATUS: readonly Row[] = [
  [`PATCH ${MAPS}/a?fieldValidation=Strict`, { bar: 1 }, MERGE],
  [`PATCH ${MAPS}/a?fieldValidation=Strict`, { bar: 1 }, STRATEGIC],
  [`PATCH ${MAPS}/a?fieldValidation=Strict`, [{ op: "add", path: "/zap", value: 1 }], OPERATIONS],
  [`PATCH ${MAPS}/a?fieldValidation=Strict`, '{"data":{"a":"1","a":"2"}}', MERGE],
  [`PATCH ${MAPS}/a?fieldValidation=Strict`, TWICE_IN_OPERATIONS, OPERATIONS],
  [`PATCH ${MAPS}/a?dryRun=All`, TWICE_IN_OPERATIONS, OPERATIONS],
  [`PATCH ${MAPS}/a?fieldManager=t&force=true&dryRun=All&fieldValidation=Strict`, TWICE_APPLIED, APPLY],
  [`PATCH ${MAPS}/a?fieldManager=t&force=true&dryRun=All`, TWICE_APPLIED, APPLY],
  [`PATCH ${MAPS}/a?fieldManager=t&force=true&dryRun=All&fieldValidation=Ignore`, TWICE_APPLIED, APPLY],
  [`PATCH ${MAPS}/a?fieldManager=t&force=true&dryRun=All`, "{apiVersion: v1, kind: ConfigMap, data: {t: u}}", APPLY],
  [`PATCH ${MAPS}/a`, { data: "x" }, STRATEGIC],
  [`PATCH ${MAPS}/a`, {}, "text/plain"],
  [`PATCH ${NODES}/n1`, [], STRATEGIC],
  [`PATCH ${NODES}/n1`, "{", STRATEGIC],
  [`PATCH ${NODES}/n1`, { spec: "x" }, STRATEGIC],
  [`PATCH ${NODES}/n1/status`, { status: { conditions: { a: "b" } } }, STRATEGIC],
  [`PATCH ${MAPS}/new?fieldManager=me`, "- a", APPLY],
  [`PATCH ${MAPS}/new?fieldManager=me`, ": : :", APPLY],
];

const IGNORED: ReadonlySet<string> = new Set([
  "uid",
  "resourceVersion",
  "creationTimestamp",
  "time",
  "generation",
  "authentication.kubernetes.io/credential-id",
]);

/** What Go writes for fields that were never set; left out here. */
const ABSENT: ReadonlySet<string> = new Set(["daemonEndpoints", "nodeInfo"]);

const UNORDERED: ReadonlySet<string> = new Set(["managedFields", "causes"]);

function comparable(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(comparable);
  if (typeof value === "string") return value.replace(/csr-[a-z0-9]{5}/g, "csr-<x>");
  if (typeof value !== "object" || value === null) return value;
  const kept = Object.entries(value).filter(([key, inner]) => !IGNORED.has(key) && !ABSENT.has(key) && inner !== null);
  return Object.fromEntries(kept.map(([key, inner]) => [key, comparable(UNORDERED.has(key) ? inOrder(inner) : inner)]));
}

/** A real server tells entries of one second, and conflicts with several managers, in any order. */
function inOrder(entries: readonly unknown[]): readonly unknown[] {
  const nameOf = (entry: unknown) => {
    const { manager, operation, subresource, field } = entry as Readonly<Record<string, string | undefined>>;
    return [manager, operation, subresource, field].join(" ");
  };
  return [...entries].sort((one, other) => (nameOf(one) < nameOf(other) ? -1 : 1));
}

async function ask([request, body, type = JSON_BODY]: Row): Promise<readonly [Received, Received]> {
  const [method = "", path = ""] = request.split(" ");
  const headers = { "user-agent": "tester/1.0", ...(body === undefined ? {} : { "content-type": type }) };
  const by = (one: ApiEndpoint) => callApi(one, { method, path, body, headers });
  return Promise.all([by(ours), by(theirs)]);
}

const titled = (rows: readonly Row[]) => rows.map((row, at) => [`${at + 1}. ${row[0]}`, row] as const);

describe("the embedded server answers like a real one", () => {
  it.each(titled(SAME))("%s", async (_title, row) => {
    const [mine, other] = await ask(row);
    expect(comparable(mine.body ?? mine.text)).toEqual(comparable(other.body ?? other.text));
    expect([mine.status, warningsOf(mine)]).toEqual([other.status, warningsOf(other)]);
  });

  it.each(titled(SAME_STATUS))("in status and reason: %s", async (_title, row) => {
    const [mine, other] = await ask(row);
    expect([mine.status, mine.body?.reason]).toEqual([other.status, other.body?.reason]);
  });

  it("keeps ten updaters and folds the rest", async () => {
    const writeOften = async (one: ApiEndpoint) => {
      const first = { metadata: { name: "many" }, data: { k0: "v" } };
      await callApi(one, { method: "POST", path: `${MAPS}?fieldManager=m00`, body: first });
      let last: Received | undefined;
      for (let at = 1; at <= 14; at += 1) {
        const path = `${MAPS}/many?fieldManager=m${String(at).padStart(2, "0")}`;
        const body = { data: { [`k${at}`]: "v" } };
        last = await callApi(one, { method: "PATCH", path, body, headers: { "content-type": MERGE } });
      }
      return last?.body.metadata.managedFields.map((entry: { manager: string }) => entry.manager).sort();
    };
    const [mine, other] = await Promise.all([writeOften(ours), writeOften(theirs)]);
    expect(mine).toEqual(other);
    expect(mine).toContain("ancient-changes");
  });
});

function warningsOf({ headers }: Received): unknown {
  return [headers["warning"] ?? []].flat().join(", ");
}

const POD = {
  metadata: { name: "p" },
  spec: {
    nodeName: "n1",
    containers: [{ name: "c", image: "i", ports: [{ containerPort: 80 }] }],
    volumes: [{ name: "v", emptyDir: {} }],
  },
};

describe("a pod", () => {
  it("belongs to whoever made it, and its status to its kubelet", async () => {
    const status = {
      conditions: [{ type: "Ready", status: "True", lastProbeTime: null, lastTransitionTime: "2026-01-01T00:00:00Z" }],
      phase: "Running",
      podIP: "10.2.3.4",
      podIPs: [{ ip: "10.2.3.4" }],
    };
    await ask(["POST /api/v1/namespaces/default/serviceaccounts", { metadata: { name: "default" } }]);
    await ask([`POST ${PODS}`, POD]);
    const [mine, other] = await ask([`PATCH ${PODS}/p/status`, { status }, STRATEGIC]);
    const owned = ({ body }: Received) => comparable({ managedFields: body.metadata.managedFields });
    expect(withoutZeroTimes(owned(mine))).toEqual(withoutZeroTimes(owned(other)));
  });
});

/** Go tells an unset time as null, and so it has an owner. */
function withoutZeroTimes(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value).replaceAll('"f:lastProbeTime":{},', ""));
}

describe("real kubectl", () => {
  let configs: readonly string[];
  beforeAll(async () => {
    const dir = join(real.dir, "kubectl-parity");
    await mkdir(dir, { recursive: true });
    configs = [ours, theirs].map((one, at) =>
      writeAdminKubeconfig(join(dir, `side-${at}.conf`), { ...one, url: `https://127.0.0.1:${one.port}` }),
    );
  });

  /** Both sides' output; ages and ids have been taken out. An editor is a command that gets the name of a file. */
  async function both(...args: readonly string[]): Promise<readonly string[]> {
    const print = async (kubeconfig: string, at: number) => {
      const homeDir = join(real.dir, `home-${at}`);
      const env = { EDITOR: "sed -i s/hello/goodbye/" };
      const { stdout, stderr, code } = await real.kubectl(args, { kubeconfig, homeDir, env });
      const text = `${stdout}${stderr}exit ${code}`;
      // A real server leaves the time out where nothing but the owner changed.
      return text.replace(/^ *(uid|resourceVersion|creationTimestamp|time): .*\n/gm, "");
    };
    return Promise.all(configs.map(print));
  }

  const file = async (name: string, text: string) => {
    const path = join(real.dir, name);
    await writeFile(path, text);
    return path;
  };

  it("explains the same fields with the same types", async () => {
    for (const what of [
      "node",
      "pod",
      "csr",
      "lease",
      "clusterrolebinding",
      "secret",
      "crd",
      "resourceclaim",
      "event",
      "tokenreview",
    ]) {
      const [mine = "", other = ""] = await both("explain", what, "--recursive");
      // Descriptions and the values of enumerations are theirs.
      const fields = (text: string) => text.slice(text.indexOf("FIELDS:")).replace(/^ *enum: .*\n/gm, "");
      expect(fields(mine)).toBe(fields(other));
    }
  });

  it("applies on the client's side, then on the server's, with the same owners", async () => {
    const path = await file("csa.yaml", "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: k}\ndata: {x: '1'}\n");
    const [mine, other] = await both("apply", "-f", path);
    expect(mine).toBe(other);
    await file("csa.yaml", "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: k}\ndata: {x: '2', z: '3'}\n");
    for (const args of [
      ["apply", "-f", path],
      ["apply", "-f", path],
      ["apply", "--server-side", "-f", path],
      ["apply", "-f", path],
      ["get", "cm", "k", "-o", "yaml", "--show-managed-fields"],
    ]) {
      const [one, two] = await both(...args);
      expect(one).toBe(two);
    }
  });

  it("is told of conflicts, unknown fields and lost rights in the same words", async () => {
    const path = await file("ssa.yaml", "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: k}\ndata: {x: '7'}\n");
    const bad = await file("bad.yaml", "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: bad}\ndta: {x: '7'}\n");
    for (const args of [
      ["apply", "--server-side", "--field-manager=other", "-f", path],
      ["apply", "--server-side", "--field-manager=other", "--force-conflicts", "-f", path],
      ["create", "-f", bad],
      ["create", "-f", bad, "--validate=warn"],
      ["patch", "cm", "k", "-p", '{"data":{"x":null}}'],
      ["patch", "cm", "k", "--type=merge", "-p", '{"data":{"m":"1"}}'],
      ["patch", "cm", "k", "--type=json", "-p", '[{"op":"remove","path":"/data/m"}]'],
      ["label", "cm", "k", "tier=a"],
      ["annotate", "cm", "k", "note=hello"],
      ["edit", "cm", "k"],
      ["edit", "cm", "k"],
      ["get", "cm", "k", "-o", "jsonpath={.metadata.annotations}"],
      ["replace", "-f", path],
      ["get", "cm", "k", "-o", "yaml", "--show-managed-fields"],
      ["delete", "cm", "k"],
    ]) {
      const [one, two] = await both(...args);
      expect(one).toBe(two);
    }
  });
});

const WIDGETS = `
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: widgets.example.com}
spec:
  group: example.com
  names: {plural: widgets, singular: widget, kind: Widget, listKind: WidgetList}
  scope: Namespaced
  versions:
  - name: v1
    served: true
    storage: true
    subresources: {status: {}}
    schema:
      openAPIV3Schema:
        type: object
        properties:
          spec:
            type: object
            properties:
              size: {type: integer}
              color: {type: string, default: red}
              parts:
                type: array
                x-kubernetes-list-type: map
                x-kubernetes-list-map-keys: [name]
                items: {type: object, required: [name], properties: {name: {type: string}, count: {type: integer}}}
              tags: {type: array, x-kubernetes-list-type: set, items: {type: string}}
              raw: {type: object, x-kubernetes-preserve-unknown-fields: true}
          status: {type: object, properties: {phase: {type: string}}}
`;

const widget = (spec: object) => ({ apiVersion: "example.com/v1", kind: "Widget", metadata: { name: "w" }, spec });

describe("a custom kind", () => {
  const W = "/apis/example.com/v1/namespaces/default/widgets/w";
  const first = widget({
    size: 1,
    parts: [{ name: "a", count: 1 }, { name: "b" }],
    tags: ["x"],
    raw: { any: { n: 1 } },
  });
  const second = widget({ parts: [{ name: "c" }, { name: "a", count: 2 }], tags: ["z"] });
  const rows: readonly Row[] = [
    [`PATCH ${W}?fieldManager=one`, first, APPLY],
    [`PATCH ${W}?fieldManager=one`, first, APPLY],
    [`PATCH ${W}?fieldManager=two`, second, APPLY],
    [`PATCH ${W}?fieldManager=two&force=true`, second, APPLY],
    [`PATCH ${W}?fieldManager=one`, widget({ size: 1, parts: [{ name: "b" }] }), APPLY],
    [`PATCH ${W}`, { spec: { size: 2, sze: 2 } }, MERGE],
    [`PATCH ${W}`, { spec: { size: 2 } }, STRATEGIC],
    [`PATCH ${W}/status`, { status: { phase: "Up" }, spec: { size: 9 } }, MERGE],
    [`DELETE ${W}`],
  ];

  it("is applied and patched like on a real server, with the list types of its schema", async () => {
    await ask(["POST /apis/apiextensions.k8s.io/v1/customresourcedefinitions", WIDGETS, "application/yaml"]);
    await waitUntilServed("/apis/example.com/v1/widgets");
    for (const row of rows) {
      const [mine, other] = await ask(row);
      expect([row[0], mine.status, comparable(mine.body)]).toEqual([row[0], other.status, comparable(other.body)]);
      expect(warningsOf(mine)).toEqual(warningsOf(other));
    }
  });

  async function waitUntilServed(path: string): Promise<void> {
    for (const one of [ours, theirs]) {
      while ((await callApi(one, { path })).status !== 200) await new Promise((resolve) => setTimeout(resolve, 100));
    }
  }
});
