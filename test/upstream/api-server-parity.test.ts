// The embedded API server beside a real kube-apiserver: the same requests, in the same order, get the same answers.
// What the two may differ in is written down: where only the status counts, and which fields only one of them knows.

import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  aCsr,
  type CsrModifier,
  forNode,
  withExpiration,
  withSigner,
  withUsages,
  withWrongSignature,
} from "../builders/csr.ts";
import { callApi, type Received } from "../fakes/api-client.ts";
import { startTestApiServer, type TestApiServer } from "../fakes/api-server.ts";
import { type Side, side } from "./harness/both.ts";
import { type ControlPlane, startControlPlane } from "./harness/index.ts";

let embedded: TestApiServer;
let real: ControlPlane;
let ours: Side;
let theirs: Side;

beforeAll(async () => {
  [embedded, real] = await Promise.all([startTestApiServer(), startControlPlane({ keyAlgorithm: "ECDSA-P256" })]);
  ours = withTokens(side(embedded), await embedded.createBootstrapToken());
  theirs = withTokens(side(real), await real.createBootstrapToken());
  await callApi(ours, {
    method: "POST",
    path: `${RBAC}/clusterrolebindings`,
    body: {
      metadata: { name: "kubeadm:kubelet-bootstrap" },
      roleRef: { kind: "ClusterRole", name: "system:node-bootstrapper" },
      subjects: [{ kind: "Group", name: "system:bootstrappers:kubeadm:default-node-token" }],
    },
  });
});
afterAll(() => Promise.all([embedded.close(), real.stop()]));

function withTokens(one: Side, token: string): Side {
  const tokens = { token: { token }, "a bad token": { token: "abcdef.zzzzzzzzzzzzzzzz" } };
  return { ...one, as: { ...one.as, ...tokens, nobody: "anonymous" } };
}

const RBAC = "/apis/rbac.authorization.k8s.io/v1";
const CSRS = "/apis/certificates.k8s.io/v1/certificatesigningrequests";
const LEASES = "/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases";
const MAPS = "/api/v1/namespaces/default/configmaps";
const SECRETS = "/api/v1/namespaces/default/secrets";
const EVENTS = "/api/v1/namespaces/default/events";
const REVIEWS = "/apis/authorization.k8s.io/v1";

const MERGE = { "content-type": "application/merge-patch+json" };
const OPERATIONS = { "content-type": "application/json-patch+json" };
const TABLE = { accept: "application/json;as=Table;v=v1;g=meta.k8s.io,application/json" };

type Row = readonly [who: string, request: string, body?: unknown, headers?: Readonly<Record<string, string>>];

const csr = (name: string, ...modifiers: readonly CsrModifier[]) => {
  const { kind, apiVersion, spec } = aCsr(...modifiers);
  const { request, signerName, usages, expirationSeconds } = spec;
  return { kind, apiVersion, metadata: { name }, spec: { request, signerName, usages, expirationSeconds } };
};
const first = csr("c1", forNode("n1"));
const condition = (...conditions: object[]) => ({ status: { conditions } });
const approved = { type: "Approved", status: "True", reason: "ByTest" };
const lease = (name: string, more: object = {}) => ({
  metadata: { name },
  spec: { holderIdentity: name, leaseDurationSeconds: 40 },
  ...more,
});
const named = (name: string, more: object = {}) => ({ metadata: { name }, ...more });

/** Equal in status and in every field of the body, but for those of `IGNORED`. */
const SAME: readonly Row[] = [
  ["nobody", "GET /healthz"],
  ["nobody", "GET /api/v1/nodes"],
  ["nobody", "GET /version/x"],
  ["a bad token", "GET /healthz"],
  ["admin", "GET /nope"],
  ["admin", "GET /apis/nope.example"],
  ["admin", "GET /api/v1/nope"],
  ["admin", "GET /api/v1/nodes/none"],
  ["admin", "PUT /api/v1/nodes", named("none")],
  ["admin", "DELETE /api/v1/namespaces"],
  ["admin", "POST /api/v1/configmaps", named("a")],
  ["admin", `POST ${CSRS}`, first],
  ["admin", `POST ${CSRS}`, first],
  ["admin", `GET ${CSRS}/c1`],
  ["admin", `GET ${CSRS}`, undefined, TABLE],
  ["admin", `POST ${CSRS}`, csr("bad", withUsages("x"))],
  ["admin", `POST ${CSRS}`, csr("bad", withUsages())],
  ["admin", `POST ${CSRS}`, csr("bad", withUsages("client auth", "client auth"))],
  ["admin", `POST ${CSRS}`, csr("bad", withExpiration(599))],
  ["admin", `POST ${CSRS}`, csr("bad", withSigner("nosuch"))],
  ["admin", `POST ${CSRS}`, csr("bad", withSigner("foo/bar"))],
  ["admin", `POST ${CSRS}`, csr("bad", withSigner("Foo.bar/x"))],
  ["admin", `POST ${CSRS}`, csr("bad", withSigner("kubernetes.io/legacy-unknown"))],
  ["admin", `POST ${CSRS}`, csr("a/b", forNode("n1"))],
  ["admin", `POST ${CSRS}`, csr("..", forNode("n1"))],
  ["admin", `POST ${CSRS}`, { ...first, metadata: {} }],
  ["admin", `POST ${CSRS}`, { ...first, metadata: { name: "bad", labels: { "a b": "c" } } }],
  ["admin", `POST ${CSRS}`, { ...first, metadata: { name: "bad", labels: { a: "c d" } } }],
  ["admin", `POST ${CSRS}`, { ...first, metadata: { name: "bad", resourceVersion: "5" } }],
  ["admin", `PATCH ${CSRS}/c1/approval`, condition({ ...approved, status: "False" }), MERGE],
  ["admin", `PATCH ${CSRS}/c1/approval`, condition({ type: "Approved" }), MERGE],
  ["admin", `PATCH ${CSRS}/c1/approval`, condition(approved, { ...approved, type: "Denied" }), MERGE],
  ["admin", `PATCH ${CSRS}/c1/approval`, condition(approved, approved), MERGE],
  ["admin", `PATCH ${CSRS}/c1/approval`, condition({ status: "True" }), MERGE],
  ["admin", `PATCH ${CSRS}/c1/status`, condition(approved), MERGE],
  ["admin", `PATCH ${CSRS}/c1/approval`, condition(approved), MERGE],
  ["admin", `PATCH ${CSRS}/c1/approval`, condition(), MERGE],
  ["admin", `PATCH ${CSRS}/c1/status`, { status: { certificate: "eA==" } }, MERGE],
  ["admin", `PATCH ${CSRS}/c1`, { metadata: { resourceVersion: "1" } }, MERGE],
  ["admin", `PATCH ${CSRS}/c1`, { metadata: { name: "other" } }, MERGE],
  ["admin", `PATCH ${CSRS}/none`, {}, MERGE],
  ["admin", `PATCH ${CSRS}/c1`, [{ op: "add", path: "/metadata/labels", value: { a: "b" } }], OPERATIONS],
  ["admin", `GET ${CSRS}?fieldSelector=spec.username%3Dx`],
  ["admin", `GET ${CSRS}?fieldSelector=spec.signerName%3Dx`],
  ["admin", `GET ${CSRS}?fieldSelector=a`],
  ["admin", `GET ${CSRS}?limit=-1`],
  ["admin", `GET ${CSRS}?resourceVersionMatch=Exact`],
  ["admin", `GET ${CSRS}?resourceVersion=0&resourceVersionMatch=Exact`],
  ["admin", `GET ${CSRS}?sendInitialEvents=true`],
  ["admin", `GET ${CSRS}?watch=1&sendInitialEvents=true`],
  ["admin", `GET ${CSRS}?watch=1&resourceVersionMatch=NotOlderThan`],
  ["node", "GET /api/v1/nodes"],
  ["node", "GET /api/v1/nodes/n2"],
  ["node", "GET /api/v1/nodes/n1"],
  ["node", "POST /api/v1/nodes", named("n2")],
  ["node", "POST /api/v1/nodes", { metadata: { name: "n1", labels: { "node-role.kubernetes.io/x": "" } } }],
  ["node", "GET /api/v1/secrets"],
  ["node", "GET /api/v1/namespaces/kube-system/secrets/x"],
  ["node", "GET /api/v1/namespaces/kube-system/configmaps/x"],
  ["node", "GET /api/v1/namespaces/kube-system/secrets?fieldSelector=metadata.name%3Dx"],
  ["node", "GET /api/v1/pods"],
  ["node", `POST ${RBAC}/clusterroles`, {}],
  ["node", `POST ${LEASES}`, lease("n2")],
  ["node", `POST ${LEASES}`, lease("n1")],
  ["node", `PUT ${LEASES}/n1`, lease("n1")],
  ["node", `PUT ${LEASES}/n1`, lease("n1", { metadata: { name: "n1", resourceVersion: "1" } })],
  ["admin", `PUT ${LEASES}/new`, lease("new")],
  ["admin", `PUT ${LEASES}/new`, lease("other")],
  ["admin", `POST ${LEASES}`, lease("bad", { spec: { leaseDurationSeconds: 0 } })],
  ["node", "POST /apis/coordination.k8s.io/v1/namespaces/default/leases", lease("n1")],
  ["node", `POST ${CSRS}`, csr("c9", forNode("n2"))],
  ["node", `POST ${CSRS}`, csr("c10", forNode("n2"), withSigner("example.com/x"))],
  ["node", `PATCH ${CSRS}/c10/approval`, {}, MERGE],
  ["token", `POST ${CSRS}`, csr("c11", forNode("n3"))],
  ["token", `GET ${CSRS}/c11`],
  ["token", `PATCH ${CSRS}/c11`, {}, MERGE],
  ["token", "GET /api/v1/namespaces/kube-system/secrets"],
  ["token", "POST /apis/authentication.k8s.io/v1/selfsubjectreviews", {}],
  ["admin", "POST /api/v1/namespaces/none/configmaps", named("a")],
  ["admin", `POST ${MAPS}`, named("A_b")],
  ["admin", `POST ${MAPS}`, named("a", { data: { "x/y": "z" } })],
  ["admin", `POST ${MAPS}`, { metadata: { name: "a", namespace: "other" } }],
  ["admin", `POST ${MAPS}`, named("a", { data: { x: "y" }, immutable: true })],
  ["admin", `PATCH ${MAPS}/a`, { data: { x: "z" } }, MERGE],
  ["admin", `DELETE ${MAPS}/a`, { propagationPolicy: "Nope" }],
  ["admin", `DELETE ${MAPS}/a`],
  ["admin", `DELETE ${MAPS}/a`],
  ["admin", `POST ${MAPS}?dryRun=All`, named("dry")],
  ["admin", `GET ${MAPS}/dry`],
  ["admin", `POST ${MAPS}`, { metadata: { name: "held", finalizers: ["a.b/c"] } }],
  ["admin", `DELETE ${MAPS}/held`],
  ["admin", `POST ${MAPS}`, named("held")],
  ["admin", `PATCH ${MAPS}/held`, { metadata: { finalizers: null } }, MERGE],
  ["admin", `GET ${MAPS}/held`],
  ["admin", `POST ${SECRETS}`, named("s", { stringData: { a: "b" } })],
  ["admin", `PATCH ${SECRETS}/s`, { type: "x" }, MERGE],
  ["admin", `GET ${SECRETS}?fieldSelector=type%3DOpaque`, undefined, TABLE],
  ["admin", `POST ${EVENTS}`, named("e", { involvedObject: { kind: "X", namespace: "other" } })],
  ["admin", "POST /api/v1/namespaces", named("Foo")],
  ["admin", "POST /api/v1/namespaces", named("foo")],
  ["admin", "DELETE /api/v1/namespaces/kube-system"],
  ["admin", `POST ${RBAC}/clusterroles`, named("r", { rules: [{ verbs: [] }] })],
  [
    "admin",
    `POST ${RBAC}/clusterroles`,
    named("r", { rules: [{ verbs: ["get"], nonResourceURLs: ["/x"], resources: ["a"] }] }),
  ],
  [
    "admin",
    `POST ${RBAC}/namespaces/default/roles`,
    named("r", { rules: [{ verbs: ["get"], nonResourceURLs: ["/x"] }] }),
  ],
  [
    "admin",
    `POST ${RBAC}/clusterroles`,
    named("r", {
      rules: [{ verbs: ["*"], apiGroups: ["rbac.authorization.k8s.io"], resources: ["*"], resourceNames: ["x"] }],
    }),
  ],
  [
    "admin",
    `POST ${RBAC}/clusterrolebindings`,
    named("r", { roleRef: { kind: "ClusterRole", name: "r" }, subjects: [{ kind: "User", name: "jane" }] }),
  ],
  [
    "admin",
    `POST ${RBAC}/clusterrolebindings`,
    named("bad", { roleRef: { kind: "Role", name: "r" }, subjects: [{ kind: "Dog", name: "x" }] }),
  ],
  ["admin", `GET ${RBAC}/clusterrolebindings/r`, undefined, TABLE],
  ["jane", "GET /api/v1/pods"],
  [
    "admin",
    `POST ${REVIEWS}/subjectaccessreviews`,
    { spec: { user: "jane", resourceAttributes: { verb: "get", resource: "pods" } } },
  ],
  [
    "admin",
    `POST ${REVIEWS}/selfsubjectaccessreviews`,
    { spec: { resourceAttributes: { verb: "get", resource: "pods" } } },
  ],
  ["admin", "GET /apis/authentication.k8s.io/v1/selfsubjectreviews"],
];

/** Equal in status and reason; the words are the server's own, ours never repeat what was sent. */
const SAME_STATUS: readonly Row[] = [
  ["admin", `POST ${CSRS}`, csr("bad", withWrongSignature())],
  ["admin", `POST ${CSRS}`, { ...first, kind: "Node" }],
  ["admin", `POST ${CSRS}`, { ...first, apiVersion: "v1" }],
  ["admin", `POST ${CSRS}`, { ...first, metadata: { name: "bad", annotations: { a: 1 } } }],
  ["admin", `POST ${CSRS}`, { ...first, metadata: { name: "bad", annotations: { "a/b/c": "" } } }],
  ["admin", `POST ${CSRS}`, "{"],
  ["admin", `POST ${CSRS}`, "[]"],
  ["admin", `POST ${CSRS}`, first, { "content-type": "text/plain" }],
  ["admin", `PATCH ${CSRS}/c1/status`, { status: { certificate: "!!" } }, MERGE],
  ["admin", `PATCH ${CSRS}/c1`, { metadata: { uid: "x" } }, MERGE],
  ["admin", `PATCH ${CSRS}/c1`, [{ op: "test", path: "/metadata/name", value: "x" }], OPERATIONS],
  ["admin", `PATCH ${CSRS}/c1`, [{ op: "nope", path: "/x" }], OPERATIONS],
  ["admin", `PATCH ${CSRS}/c1`, {}, OPERATIONS],
  ["admin", `PATCH ${CSRS}/c1`, {}, { "content-type": "text/plain" }],
  ["admin", `GET ${CSRS}?labelSelector=a%3D%3D%3Db`],
  ["admin", `GET ${CSRS}?resourceVersion=x`],
  ["admin", `GET ${CSRS}?continue=xx`],
  ["admin", `GET ${CSRS}?limit=x`],
  ["admin", `GET ${CSRS}`, undefined, { accept: "text/html" }],
  ["admin", "GET /api/v1/nodes/.."],
  ["admin", `POST ${MAPS}?dryRun=x`, named("dry")],
  ["admin", `POST ${SECRETS}`, named("bad", { data: { a: "???" } })],
  ["admin", `POST ${REVIEWS}/subjectaccessreviews`, { spec: {} }],
];

/** Of one server only, or different at every run. */
const IGNORED: ReadonlySet<string> = new Set([
  "uid",
  "resourceVersion",
  "creationTimestamp",
  "deletionTimestamp",
  "lastUpdateTime",
  "lastTransitionTime",
  "authentication.kubernetes.io/credential-id",
  "description",
  // No field ownership is kept here, nor generations of kinds that have none in their API.
  "managedFields",
  "generation",
]);

function comparable(value: unknown): unknown {
  if (typeof value === "string") return value.replace(/system:bootstrap:[a-z0-9]{6}/g, "system:bootstrap:<id>");
  if (Array.isArray(value)) return value.map(comparable);
  if (typeof value !== "object" || value === null) return value;
  const kept = Object.entries(value).filter(([key]) => !IGNORED.has(key));
  return Object.fromEntries(kept.map(([key, inner]) => [key, comparable(inner)]));
}

async function ask([who, request, body, headers = {}]: Row): Promise<readonly [Received, Received]> {
  const [method = "", path = ""] = request.split(" ");
  const isText = typeof body === "string";
  const sent = { method, path, ...(body === undefined ? {} : { body }) };
  const typed = { ...(isText ? { "content-type": "application/json" } : {}), ...headers };
  const by = (one: Side) => callApi(one, { ...sent, headers: typed, as: one.as[who] ?? "anonymous" });
  return Promise.all([by(ours), by(theirs)]);
}

const titled = (rows: readonly Row[]) => rows.map((row, at) => [`${at + 1}. ${row[0]}: ${row[1]}`, row] as const);

describe("the embedded server answers like a real one", () => {
  it.each(titled(SAME))("%s", async (_title, row) => {
    const [mine, other] = await ask(row);
    expect(mine.status).toBe(other.status);
    expect(comparable(mine.body ?? mine.text)).toEqual(comparable(other.body ?? other.text));
  });

  it.each(titled(SAME_STATUS))("in status and reason: %s", async (_title, row) => {
    const [mine, other] = await ask(row);
    expect([mine.status, mine.body?.reason]).toEqual([other.status, other.body?.reason]);
  });
});

describe("the bootstrap policy", () => {
  interface RbacItem {
    readonly metadata: { readonly name: string; readonly namespace?: string };
    readonly rules?: readonly Readonly<Record<string, readonly string[]>>[];
  }
  /** A real server fills the rules of aggregated roles through a controller that does not run here. */
  const AGGREGATED = ["admin", "edit", "view"];
  const canonical = (item: RbacItem) =>
    AGGREGATED.includes(item.metadata.name)
      ? []
      : [...(item.rules ?? [])].map((rule) =>
          JSON.stringify(
            Object.entries(rule)
              .map(([key, list]) => [key, [...list].sort()])
              .sort(),
          ),
        );
  const isOwn = ({ metadata }: RbacItem) => !metadata.name.startsWith("kubeadm:") && metadata.name !== "r";

  it.each(["clusterroles", "clusterrolebindings", "roles", "rolebindings"])(
    "has the %s of a real cluster",
    async (plural) => {
      const [mine, other] = await ask(["admin", `GET ${RBAC}/${plural}`]);
      const show = ({ body }: Received) =>
        body.items.filter(isOwn).map((item: RbacItem & Record<string, unknown>) => ({
          ...(comparable({ ...item, rules: undefined }) as object),
          rules: canonical(item).sort(),
        }));
      expect(show(mine)).toEqual(show(other));
    },
  );
});

describe("kubectl", () => {
  it("prints the same csr and nodes", async () => {
    const node = {
      metadata: { name: "shown", labels: { "node-role.kubernetes.io/worker": "" } },
      status: { conditions: [{ type: "Ready", status: "True" }], nodeInfo: { kubeletVersion: "v1.36.3" } },
    };
    await ask(["admin", "POST /api/v1/nodes", node]);
    const configuration = (one: Side) => [
      `--server=https://127.0.0.1:${one.port}`,
      "--insecure-skip-tls-verify",
      `--token=${(one.as["token"] as { token: string }).token}`,
    ];
    const view = { metadata: { name: "kubectl" }, roleRef: { kind: "ClusterRole", name: "cluster-admin" } };
    const subjects = [{ kind: "Group", name: "system:bootstrappers" }];
    await ask(["admin", `POST ${RBAC}/clusterrolebindings`, { ...view, subjects }]);
    const print = async (one: Side) => {
      const { stdout } = await real.kubectl([...configuration(one), "get", "csr,nodes", "-o", "wide"]);
      // Ages and token ids differ, and with them the widths of the columns.
      return stdout
        .replace(/\b\d+s\b/g, "AGE")
        .replace(/system:bootstrap:\w+/g, "TOKEN")
        .replace(/ +/g, " ");
    };
    const [mine, other] = [await print(ours), await print(theirs)];
    expect(mine).toBe(other);
    expect(mine).toMatch(/^NAME AGE SIGNERNAME REQUESTOR REQUESTEDDURATION CONDITION$/m);
    expect(mine).toMatch(/^node\/shown Ready worker AGE v1\.36\.3/m);
  });
});
