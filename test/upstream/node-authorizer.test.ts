// The node authorizer beside the real one: both are asked the same questions about the same cluster, every verb on
// every resource that the node authorizer knows, by SubjectAccessReviews, and must give the same answer with the same
// reason. Ours sees the objects as the real server stored them.

import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Attributes } from "../../src/api/access/index.ts";
import type { FieldRequirement, KubeObject, Resource } from "../../src/api/meta/index.ts";
import {
  PERSISTENT_VOLUMES,
  PODS,
  RESOURCE_SLICES,
  resourcePath,
  VOLUME_ATTACHMENTS,
} from "../../src/api/meta/index.ts";
import { createNodeScan } from "../../src/apiserver/authorization/node-scan.ts";
import { createMemoryStorage } from "../../src/apiserver/storage/engine.ts";
import { keyOf } from "../../src/apiserver/storage/key.ts";
import { createNodeAuthorizer } from "../../src/authorizer/index.ts";
import { createWorld } from "../builders/node-world.ts";
import { type ApiEndpoint, asRoot, callApi } from "../fakes/api-client.ts";
import { type ControlPlane, startControlPlane, waitFor } from "./harness/index.ts";

const storage = createMemoryStorage();
const authorizer = createNodeAuthorizer(createNodeScan(storage));
let real: ControlPlane;
let server: ApiEndpoint;

beforeAll(async () => {
  real = await startControlPlane({ keyAlgorithm: "ECDSA-P256" });
  server = asRoot(real);
  await createWorld(server);
  for (const resource of [PODS, PERSISTENT_VOLUMES, VOLUME_ATTACHMENTS, RESOURCE_SLICES]) await copy(resource);
  // The real authorizer hears of new objects a moment later; the slices were made last.
  await waitFor({
    what: "the graph to know the last object",
    limitMs: 10_000,
    probe: async () =>
      (await askReal(question("get", "resource.k8s.io/resourceslices", "slice-n2", "n2"))).isAllowed || undefined,
  });
});
afterAll(() => real.stop());

async function copy(resource: Resource): Promise<void> {
  const { body } = await callApi(server, { path: resourcePath(resource) });
  for (const item of body.items as KubeObject[]) {
    const { name = "", namespace } = item.metadata;
    await storage.create(keyOf(resource, { namespace, name }), item);
  }
}

interface Answer {
  readonly isAllowed: boolean;
  readonly reason: string;
}

function question(verb: string, resource: string, name = "", node = "n1"): Attributes {
  const [group = "", plural = "", subresource = ""] = resource.split("/");
  const user = { username: `system:node:${node}`, groups: ["system:nodes"] };
  const place = { namespace: "", name, fieldRequirements: [] };
  return { user, verb, isResource: true, path: "", group, version: "*", resource: plural, subresource, ...place };
}

async function askReal(asked: Attributes): Promise<Answer> {
  const { user, verb, group, resource, subresource, namespace, name, fieldRequirements, path, isResource } = asked;
  const requirements = fieldRequirements.map(({ field, operator, value }) => ({
    key: field,
    operator: operator === "=" ? "In" : "NotIn",
    values: [value],
  }));
  const fieldSelector = requirements.length === 0 ? {} : { fieldSelector: { requirements } };
  const about = { verb, group, resource, subresource, namespace, name, ...fieldSelector };
  const attributes = isResource ? { resourceAttributes: about } : { nonResourceAttributes: { path, verb } };
  const { body } = await callApi(server, {
    method: "POST",
    path: "/apis/authorization.k8s.io/v1/subjectaccessreviews",
    body: { spec: { user: user.username, groups: user.groups, ...attributes } },
  });
  return { isAllowed: body.status.allowed, reason: body.status.reason ?? "" };
}

function askOurs(asked: Attributes): Answer {
  const { kind, message } = authorizer.authorize(asked);
  return { isAllowed: kind === "Allow", reason: message };
}

/** Only the answers that differ, so that a failure shows them and not thousands of equal ones. */
async function differences(questions: readonly Attributes[]): Promise<readonly unknown[]> {
  const found: unknown[] = [];
  const rest = [...questions];
  const work = async () => {
    for (let asked = rest.pop(); asked !== undefined; asked = rest.pop()) {
      const [ours, theirs] = [askOurs(asked), await askReal(asked)];
      if (ours.isAllowed !== theirs.isAllowed || ours.reason !== theirs.reason) found.push({ asked, ours, theirs });
    }
  };
  await Promise.all([work(), work(), work(), work()]);
  return found;
}

const VERBS = ["get", "list", "watch", "create", "update", "patch", "delete", "deletecollection", "approve", ""];
const onNode = (value: string, operator: FieldRequirement["operator"] = "="): FieldRequirement => ({
  field: "spec.nodeName",
  operator,
  value,
});
const SELECTORS: readonly (readonly FieldRequirement[])[] = [
  [],
  [onNode("n1")],
  [onNode("n2")],
  [onNode("n1", "!=")],
  [onNode("n2"), onNode("n1")],
];

/** Names in namespace a, unless they begin with another. */
const NAMES: Readonly<Record<string, readonly string[]>> = {
  "/secrets": [
    ..."pull init env envfrom volume projected csi azure cephfs cinder flex rbd scaleio iscsi storageos other unbound none"
      .split(" ")
      .map((name) => `s-${name}`),
    ..."publish stage expand controller-publish controller-expand stage-other stage-free"
      .split(" ")
      .map((n) => `b/s-${n}`),
    ..."azure cephfs rbd flex cinder".split(" ").flatMap((name) => [`v-${name}`, `b/v-${name}`]),
  ],
  "/configmaps": ["c-envfrom", "c-env", "c-volume", "c-projected", "c-other", "c-unbound", "b/c-env"],
  "/persistentvolumeclaims": ["claim", "p-own", "claim-other", "claim-unbound", "b/claim"],
  "/persistentvolumes": ["/pv-claim", "/pv-p-own", "/pv-claim-other", "/pv-free", "/none", "pv-claim"],
  "/serviceaccounts": ["app", "default", "other", "b/app"],
  "/pods": ["p", "p-devices", "p-other", "p-unbound", "none", "b/p"],
  "/nodes": ["/n1", "/n2", "n1"],
  "resource.k8s.io/resourceclaims": ["r-direct", "r-made", "r-none", "b/r-direct"],
  "resource.k8s.io/resourceslices": ["/slice-n1", "/slice-n2", "/none", "slice-n1"],
  "storage.k8s.io/volumeattachments": ["/va-n1", "/va-n2", "va-n1"],
  "storage.k8s.io/csinodes": ["/n1", "/n2"],
  "coordination.k8s.io/leases": ["kube-node-lease/n1", "kube-node-lease/n2", "n1", "/n1"],
  "certificates.k8s.io/podcertificaterequests": ["x"],
  "certificates.k8s.io/certificatesigningrequests": ["/x"],
  "/events": ["x"],
  "/services": ["x", "/"],
  "/endpoints": ["x"],
  "/namespaces": ["/a"],
  "storage.k8s.io/csidrivers": ["/x"],
  "node.k8s.io/runtimeclasses": ["/x"],
  "apps/deployments": ["x"],
};

const SUBRESOURCES: Readonly<Record<string, readonly string[]>> = {
  "/pods": ["status", "eviction", "binding", "ephemeralcontainers", "exec"],
  "/nodes": ["status", "proxy"],
  "/serviceaccounts": ["token", "x"],
  "/persistentvolumeclaims": ["status", "x"],
  "certificates.k8s.io/certificatesigningrequests": ["approval", "status"],
};

/** Every verb with every name, subresource and selector that the resource has here. */
function questionsAbout(resource: string): readonly Attributes[] {
  const places = ["", ...(NAMES[resource] ?? [])].map((text) => {
    const [name = "", namespace = "a"] = text.split("/").reverse();
    return { namespace, name };
  });
  const subresources = ["", ...(SUBRESOURCES[resource] ?? ["status"])];
  const isSelectable = ["/pods", "resource.k8s.io/resourceslices"].includes(resource);
  return places.flatMap((place) =>
    subresources.flatMap((subresource) =>
      VERBS.flatMap((verb) =>
        (isSelectable && subresource === "" ? SELECTORS : [[]]).map((fieldRequirements) => ({
          ...question(verb, `${resource}/${subresource}`),
          ...place,
          fieldRequirements,
        })),
      ),
    ),
  );
}

describe("the node authorizer answers like the real one about", () => {
  it.each(Object.keys(NAMES))("%s", async (resource) => {
    const questions = questionsAbout(resource);
    expect(await differences(questions)).toEqual([]);
  });

  it("paths, nodes without pods and nodes without a name", async () => {
    const path = { ...question("get", ""), isResource: false, path: "/api/v1" };
    const foreign = question("get", "/secrets", "s-env", "n3");
    const nameless = question("get", "/nodes", "n1", "");
    const noGroup = { ...question("get", "/nodes", "n1"), user: { username: "system:node:n1", groups: ["x"] } };
    expect(await differences([path, { ...foreign, namespace: "a" }, nameless, noGroup])).toEqual([]);
  });
});
