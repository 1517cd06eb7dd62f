// What a node may write, on the embedded server beside a real kube-apiserver: the same requests by node n1, in the same
// order, on the same cluster, get the same status and the same message.

import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { aClientCertificate, type ClientCertificate } from "../builders/client-certificate.ts";
import { aCsr, type CsrModifier, forNode, withSigner } from "../builders/csr.ts";
import { createWorld, POD_SPEC, slice } from "../builders/node-world.ts";
import { type ApiEndpoint, asRoot, callApi, type Received } from "../fakes/api-client.ts";
import { startTestApiServer, type TestApiServer } from "../fakes/api-server.ts";
import { type ControlPlane, startControlPlane } from "./harness/index.ts";

interface Side extends ApiEndpoint {
  readonly node: ClientCertificate;
  /** By name: each server gives its own. */
  readonly uids: Record<string, string>;
}

let embedded: TestApiServer;
let real: ControlPlane;
let sides: readonly [ours: Side, theirs: Side];

const PODS = "/api/v1/namespaces/a/pods";
const CLAIMS = "/api/v1/namespaces/a/persistentvolumeclaims";
const APP_TOKEN = "POST /api/v1/namespaces/a/serviceaccounts/app/token";
const LEASES = "/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases";
const CSI_NODES = "/apis/storage.k8s.io/v1/csinodes";
const SLICES = "/apis/resource.k8s.io/v1/resourceslices";
const CSRS = "/apis/certificates.k8s.io/v1/certificatesigningrequests";

beforeAll(async () => {
  [embedded, real] = await Promise.all([startTestApiServer(), startControlPlane({ keyAlgorithm: "ECDSA-P256" })]);
  sides = [await side(embedded), await side(real)];
  // The real server's caches are told a moment later than its clients.
  await sleep(500);
});
afterAll(() => Promise.all([embedded.close(), real.stop()]));

async function side(server: { port: number; caPem: string; caKeyPem: string }): Promise<Side> {
  const node = aClientCertificate(server, { user: "system:node:n1", groups: ["system:nodes"] });
  const one = { ...asRoot(server), node, uids: {} as Side["uids"] };
  await createWorld(one);
  for (const path of ["/api/v1/nodes/n1", `${PODS}/p`, `${PODS}/p-other`]) {
    const { body } = await callApi(one, { path });
    one.uids[body.metadata.name] = body.metadata.uid;
  }
  return one;
}

type Uids = Side["uids"];
/** A body may need what differs between the servers. */
type Row = readonly [request: string, body?: unknown | ((uids: Uids) => unknown)];

const MIRROR = { "kubernetes.io/config.mirror": "x" };
interface Mirror {
  readonly annotations?: object;
  readonly owner?: object;
  readonly owners?: readonly object[];
  readonly spec?: object;
}
const mirror = (name: string, { annotations = MIRROR, owner = {}, owners, spec = {} }: Mirror = {}) => {
  return (uids: Uids) => {
    const own = { apiVersion: "v1", kind: "Node", name: "n1", uid: uids["n1"], controller: true, ...owner };
    const metadata = { name, annotations, ownerReferences: owners ?? [own] };
    return { metadata, spec: { ...POD_SPEC, nodeName: "n1", ...spec } };
  };
};
const volume = (source: object) => ({ spec: { volumes: [{ name: "v", ...source }] } });
const projection = (source: object) => volume({ projected: { sources: [source] } });
const token =
  (audiences: readonly string[], bound: object = {}, pod = "p") =>
  (uids: Uids) => ({
    spec: { audiences, boundObjectRef: { apiVersion: "v1", kind: "Pod", name: pod, uid: uids[pod], ...bound } },
  });
const named = (name: string, more: object = {}) => ({ metadata: { name }, ...more });
const labelled = (labels: object) => ({ metadata: { labels } });
const REVIEW = "POST /apis/authorization.k8s.io/v1/subjectaccessreviews";
const review = (resourceAttributes: object) => ({
  spec: { user: "system:node:n1", groups: ["system:nodes"], resourceAttributes },
});
const onNode = (operator: string) => ({ requirements: [{ key: "spec.nodeName", operator, values: ["n1"] }] });
const csr = (name: string, ...modifiers: readonly CsrModifier[]) => {
  const { spec } = aCsr(...modifiers);
  const { request, signerName, usages } = spec;
  return named(name, { spec: { request, signerName, usages } });
};

const SAME: readonly Row[] = [
  [`POST ${PODS}`, mirror("m1", { annotations: {} })],
  [`POST ${PODS}`, mirror("m1", { annotations: {}, spec: { serviceAccountName: "app" } })],
  [`POST ${PODS}`, mirror("m1", { spec: { nodeName: "n2" } })],
  [`POST ${PODS}`, mirror("m1", { spec: { nodeName: "" } })],
  [`POST ${PODS}`, mirror("m1", { owners: [] })],
  [`POST ${PODS}`, mirror("m1", { owner: { name: "n2" } })],
  [`POST ${PODS}`, mirror("m1", { owner: { kind: "Pod" } })],
  [`POST ${PODS}`, mirror("m1", { owner: { controller: false } })],
  [`POST ${PODS}`, mirror("m1", { owner: { blockOwnerDeletion: true } })],
  [`POST ${PODS}`, mirror("m1", { spec: { serviceAccountName: "app" } })],
  [`POST ${PODS}`, mirror("m1", { spec: { serviceAccount: "app" } })],
  [`POST ${PODS}`, mirror("m1", { spec: { imagePullSecrets: [{ name: "s" }] } })],
  [`POST ${PODS}`, mirror("m1", { spec: { resourceClaims: [{ name: "r", resourceClaimName: "c" }] } })],
  [`POST ${PODS}`, mirror("m1", volume({ secret: { secretName: "s-other" } }))],
  [`POST ${PODS}`, mirror("m1", volume({ configMap: { name: "c" } }))],
  [`POST ${PODS}`, mirror("m1", volume({ csi: { driver: "inline.example.com" } }))],
  [`POST ${PODS}`, mirror("m1", volume({ glusterfs: { endpoints: "e", path: "p" } }))],
  [`POST ${PODS}`, mirror("m1", volume({ persistentVolumeClaim: { claimName: "claim" } }))],
  [`POST ${PODS}`, mirror("m1", volume({ azureFile: { shareName: "s", secretName: "s" } }))],
  [`POST ${PODS}`, mirror("m1", volume({ cephfs: { monitors: ["m"], secretRef: { name: "s" } } }))],
  [`POST ${PODS}`, mirror("m1", projection({ secret: { name: "s" } }))],
  [`POST ${PODS}`, mirror("m1", projection({ configMap: { name: "s" } }))],
  [`POST ${PODS}`, mirror("m1", projection({ serviceAccountToken: { path: "t" } }))],
  [`POST ${PODS}`, mirror("m1", projection({ clusterTrustBundle: { path: "t", name: "x" } }))],
  [`POST ${PODS}`, mirror("m1", projection({}))],
  [`POST ${PODS}`, mirror("m1", volume({ hostPath: { path: "/" } }))],
  [`POST ${PODS}`, mirror("m2", volume({}))],
  [`POST ${PODS}`, mirror("m1")],
  [`PUT ${PODS}/m1`, mirror("m1", volume({ secret: { secretName: "s-other" } }))],
  [`PATCH ${PODS}/m1/status`, { metadata: { annotations: { "kubernetes.io/config.mirror": null } } }],
  [`PATCH ${PODS}/m1/status`, { metadata: { annotations: { "kubernetes.io/config.mirror": "y" } } }],
  [`PATCH ${PODS}/p/status`, { metadata: { annotations: MIRROR } }],
  [`PATCH ${PODS}/p/status`, labelled({ a: "b" })],
  [`PATCH ${PODS}/p/status`, { status: { phase: "Running" } }],
  [`PATCH ${PODS}/p-other/status`, { status: { phase: "Running" } }],
  [`PATCH ${PODS}/none/status`, { status: { phase: "Running" } }],
  [`PATCH ${PODS}/p-devices/status`, { status: { resourceClaimStatuses: null } }],
  [
    `PATCH ${PODS}/p-devices/status`,
    { status: { resourceClaimStatuses: [{ name: "direct", resourceClaimName: "x" }] } },
  ],
  [`PATCH ${PODS}/p-devices/status`, { status: { extendedResourceClaimStatus: { resourceClaimName: "x" } } }],
  [`PATCH ${PODS}/p/ephemeralcontainers`, { spec: { ephemeralContainers: [] } }],
  [`POST ${PODS}/p-unbound/binding`, named("p-unbound", { target: { kind: "Node", name: "n1" } })],
  [`POST ${PODS}/none/eviction`, named("none")],
  [`POST ${PODS}/p-other/eviction`, named("p-other")],
  [`DELETE ${PODS}/none`],
  [`DELETE ${PODS}/p-other`],
  [`DELETE ${PODS}/p-unbound`],
  [APP_TOKEN, { spec: {} }],
  [APP_TOKEN, token([], { kind: "Node" })],
  [APP_TOKEN, token([], { apiVersion: "v2" })],
  [APP_TOKEN, token([], { uid: "" })],
  [APP_TOKEN, token([], { uid: "old" })],
  [APP_TOKEN, token([], { name: "none" })],
  [APP_TOKEN, token([], { name: "a/b" })],
  [APP_TOKEN, token(["vault"], {}, "p-other")],
  [APP_TOKEN, token(["vault", "x"])],
  [APP_TOKEN, token(["x"])],
  [APP_TOKEN, token([])],
  ["POST /api/v1/namespaces/a/serviceaccounts/other/token", token(["vault"], {}, "p-other")],
  ["POST /api/v1/namespaces/a/serviceaccounts/none/token", token(["vault"])],
  ["GET /api/v1/namespaces/a/serviceaccounts/app"],
  ["GET /api/v1/namespaces/a/serviceaccounts/other"],
  ["GET /api/v1/namespaces/a/serviceaccounts"],
  [`PATCH ${CLAIMS}/claim`, labelled({ a: "b" })],
  [`PATCH ${CLAIMS}/claim-other/status`, { status: { phase: "Lost" } }],
  [`GET ${CLAIMS}/claim/status`],
  ["PUT /api/v1/nodes/n1/status", named("n1")],
  ["PATCH /api/v1/nodes/n1", { spec: { taints: [] } }],
  ["PATCH /api/v1/nodes/n1/status", { spec: { taints: [{ key: "a", effect: "NoSchedule" }] } }],
  [
    "PATCH /api/v1/nodes/n1",
    { metadata: { ownerReferences: [{ apiVersion: "v1", kind: "Pod", name: "p", uid: "u" }] } },
  ],
  ["PATCH /api/v1/nodes/n1", { spec: { configSource: { configMap: { name: "a" } } } }],
  ["PATCH /api/v1/nodes/n1", labelled({ "node-role.kubernetes.io/control-plane": "", "a.k8s.io/b": "" })],
  ["PATCH /api/v1/nodes/n1/status", labelled({ "node-restriction.kubernetes.io/x": "" })],
  ["PATCH /api/v1/nodes/n1", labelled({ "example.com/free": "x", "node.kubernetes.io/x": "y" })],
  ["PATCH /api/v1/nodes/n2", labelled({ free: "x" })],
  ["POST /api/v1/nodes", named("n3")],
  ["DELETE /api/v1/nodes/n1"],
  [`POST ${LEASES}`, named("n2", { spec: {} })],
  [`POST ${LEASES}`, named("n1", { spec: {} })],
  [`DELETE ${LEASES}/n2`],
  ["PUT /apis/coordination.k8s.io/v1/namespaces/default/leases/n1", named("n1", { spec: {} })],
  [`POST ${CSI_NODES}`, named("n2", { spec: { drivers: [] } })],
  [`POST ${CSI_NODES}`, named("n1", { spec: { drivers: [] } })],
  [`GET ${CSI_NODES}/n2`],
  [`POST ${SLICES}`, slice("new", "n2").body],
  [`POST ${SLICES}`, slice("new", "n1").body],
  [`DELETE ${SLICES}/slice-n2`],
  [`DELETE ${SLICES}`],
  [`POST ${CSRS}`, csr("c1", forNode("n2"))],
  [`POST ${CSRS}`, csr("c1", forNode("n1"))],
  [`POST ${CSRS}`, csr("c2", forNode("n2"), withSigner("example.com/x"))],
  [REVIEW, review({ verb: "list", resource: "pods" })],
  [REVIEW, review({ verb: "list", resource: "pods", fieldSelector: { rawSelector: "spec.nodeName=n1" } })],
  [REVIEW, review({ verb: "list", resource: "pods", fieldSelector: { rawSelector: "spec.nodeName=n2" } })],
  [REVIEW, review({ verb: "watch", resource: "pods", fieldSelector: onNode("In") })],
  [REVIEW, review({ verb: "watch", resource: "pods", fieldSelector: onNode("NotIn") })],
  [REVIEW, review({ verb: "get", resource: "secrets", namespace: "a", name: "s-env" })],
  [REVIEW, review({ verb: "get", resource: "secrets", namespace: "a", name: "s-other/../s-env" })],
  ["POST /apis/authorization.k8s.io/v1/selfsubjectrulesreviews", { spec: { namespace: "a" } }],
  ["GET /api/v1/namespaces/a/secrets/s-env"],
  ["GET /api/v1/namespaces/a/secrets/s-other"],
  ["GET /api/v1/namespaces/a/configmaps/c-other"],
  ["GET /api/v1/persistentvolumes/pv-claim"],
  ["GET /api/v1/persistentvolumes/pv-free"],
  [`DELETE ${PODS}/m1`],
  ["GET /api/v1/pods?fieldSelector=spec.nodeName%3Dn1"],
  ["GET /api/v1/pods?fieldSelector=spec.nodeName%3Dn2"],
  [`GET ${SLICES}?fieldSelector=spec.nodeName%3Dn2`],
  [`GET ${SLICES}?fieldSelector=spec.nodeName%3Dn1`],
  // Late, when the real authorizer has heard of it.
  [`DELETE ${SLICES}/new`],
  [`DELETE ${SLICES}?fieldSelector=spec.nodeName%3Dn1`],
  [`GET ${SLICES}?fieldSelector=spec.nodeName%3Dn1`],
];

/** Equal in status and reason: where the real server prints what changed, ours names the fields. */
const SAME_STATUS: readonly Row[] = [
  [`PATCH ${CLAIMS}/claim/status`, labelled({ a: "b" })],
  [`PATCH ${CLAIMS}/claim/status`, { spec: { volumeName: "pv-free" } }],
  [`PATCH ${CLAIMS}/claim/status`, { status: { phase: "Lost" } }],
  [`PATCH ${CLAIMS}/claim/status`, { status: { capacity: { storage: "2Gi" } } }],
  [APP_TOKEN, token(["vault"])],
  [APP_TOKEN, token(["inline"])],
  [APP_TOKEN, token(["claimed"])],
];

async function ask([request, body]: Row): Promise<readonly [Received, Received]> {
  const [method = "", path = ""] = request.split(" ");
  const headers: Record<string, string> = method === "PATCH" ? { "content-type": "application/merge-patch+json" } : {};
  const by = (one: Side) => {
    const sent = typeof body === "function" ? body(one.uids) : body;
    return callApi(one, { method, path, headers, as: one.node, ...(sent === undefined ? {} : { body: sent }) });
  };
  return Promise.all([by(sides[0]), by(sides[1])]);
}

const titled = (rows: readonly Row[]) => rows.map((row, at) => [`${at + 1}. ${row[0]}`, row] as const);
const told = ({ status, body }: Received) => ({
  status,
  reason: body?.reason,
  message: body?.message,
  details: body?.details,
  items: body?.items?.map(({ metadata }: { metadata: { name: string } }) => metadata.name),
  // Of reviews.
  answer: [body?.status?.allowed, body?.status?.reason, body?.status?.incomplete, body?.status?.evaluationError],
});

describe("a node is answered by the embedded server as by a real one", () => {
  it.each(titled(SAME))("%s", async (_title, row) => {
    const [mine, other] = await ask(row);
    expect(told(mine)).toEqual(told(other));
  });

  it.each(titled(SAME_STATUS))("in status and reason: %s", async (_title, row) => {
    const [mine, other] = await ask(row);
    expect([mine.status, mine.body?.reason]).toEqual([other.status, other.body?.reason]);
  });
});
