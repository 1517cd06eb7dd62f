// Registration with Cluster API on an API server, whichever: the infrastructure object of the Cluster names the
// signers, in its status where its definition has the fields, in annotations where it drops them; with exactly the
// rights of deploy/registration-rbac.yaml.

import { readFile } from "node:fs/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { parseAllDocuments } from "yaml";
import { CAPI_CLUSTERS_V1BETA2 } from "../../src/api/foreign/cluster.ts";
import { CLUSTER_ROLE_BINDINGS, CLUSTER_ROLES, type KubeObject, type Resource } from "../../src/api/meta/index.ts";
import {
  CLIENT_SIGNER_ANNOTATION,
  createRegistration,
  requireOneCluster,
  SERVING_SIGNER_ANNOTATION,
} from "../../src/controller/identities/registration.ts";
import type { ClusterName } from "../../src/controller/machines/index.ts";
import { createKubeClient, type KubeClient } from "../../src/platform/kube/index.ts";
import { silentLog } from "../../src/platform/report/index.ts";
import { controllerIdentity, type Plane } from "./controller-stage.ts";
import { define } from "./definitions.ts";

const SIGNERS = {
  client: "cluster.x-k8s.io/kube-apiserver-client-kubelet-tpm",
  serving: "cluster.x-k8s.io/kubelet-serving-tpm",
};

function infra(plural: string, kind: string): Resource {
  return { group: "infrastructure.cluster.x-k8s.io", version: "v1beta2", plural, kind, namespaced: true };
}
/** Its definition has the fields of the proposal. */
const KNOWING = infra("dockerclusters", "DockerCluster");
/** As all of them are today: it drops what it does not know. */
const PRUNING = infra("awsclusters", "AWSCluster");
/** No right was given for this one. */
const FOREIGN = infra("otherclusters", "OtherCluster");

function definition({ group, version, plural, kind }: Resource, status: object): KubeObject {
  const anything = { type: "object", "x-kubernetes-preserve-unknown-fields": true };
  const schema = { openAPIV3Schema: { type: "object", properties: { spec: anything, status } } };
  const versions = [{ name: version, served: true, storage: true, subresources: { status: {} }, schema }];
  return {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: `${plural}.${group}` },
    spec: { group, scope: "Namespaced", names: { plural, singular: kind.toLowerCase(), kind }, versions },
  } as KubeObject;
}

export function describeRegistration(where: string, startPlane: () => Promise<Plane>): void {
  describe(`registration with Cluster API on ${where}`, () => {
    let plane: Plane;
    let controller: KubeClient;

    async function grant(): Promise<void> {
      const text = await readFile(new URL("../../deploy/registration-rbac.yaml", import.meta.url), "utf8");
      const [role, binding] = parseAllDocuments(text).map((document) => document.toJS() as KubeObject);
      await plane.admin.create(CLUSTER_ROLES, role as KubeObject);
      await plane.admin.create(CLUSTER_ROLE_BINDINGS, binding as KubeObject);
    }

    beforeAll(async () => {
      plane = await startPlane();
      const anything = { type: "object", "x-kubernetes-preserve-unknown-fields": true };
      const text = { type: "string" };
      const fields = { kubeletClientCertificateSigner: text, kubeletServingCertificateSigner: text, ready: text };
      await define(plane.admin, definition(CAPI_CLUSTERS_V1BETA2, anything), CAPI_CLUSTERS_V1BETA2);
      await define(plane.admin, definition(KNOWING, { type: "object", properties: fields }), KNOWING);
      for (const kind of [PRUNING, FOREIGN])
        await define(plane.admin, definition(kind, { type: "object", properties: { ready: text } }), kind);
      await grant();
      const credentials = controllerIdentity(plane);
      controller = createKubeClient({ server: plane.url, caPem: plane.caPem, credentials: () => credentials });
    });
    afterAll(async () => {
      await controller?.close();
      await plane?.stop();
    });

    /** A Cluster and its infrastructure, both of this name. */
    async function aCluster(name: string, { group, version, kind, plural }: Resource, ref: object): Promise<void> {
      const metadata = { name, namespace: "default" };
      const resource: Resource = { group, version, kind, plural, namespaced: true };
      await plane.admin.create(resource, { apiVersion: `${group}/${version}`, kind, metadata });
      await plane.admin.patch(resource, { ...metadata, subresource: "status" }, { status: { ready: "yes" } }, MERGE);
      await plane.admin.create(CAPI_CLUSTERS_V1BETA2, {
        apiVersion: "cluster.x-k8s.io/v1beta2",
        kind: "Cluster",
        metadata,
        spec: { infrastructureRef: { kind, name, ...ref } },
      } as KubeObject);
    }
    const MERGE = { type: "merge" } as const;

    function registration(clusterName: string | undefined, signers = SIGNERS) {
      const warnings: string[] = [];
      const log = { ...silentLog, warn: (said: string) => warnings.push(said) };
      return { warnings, register: createRegistration({ management: controller, log, clusterName, signers }) };
    }
    const read = (resource: Resource, name: string) =>
      plane.admin.get<KubeObject & { status?: object }>(resource, { name, namespace: "default" });

    it("writes the status of a definition that has the fields, and nothing twice", async () => {
      await aCluster("knowing", KNOWING, { apiGroup: KNOWING.group });
      const { register, warnings } = registration("knowing");
      await register();
      const once = await read(KNOWING, "knowing");
      expect(once.status).toEqual({
        ready: "yes",
        kubeletClientCertificateSigner: SIGNERS.client,
        kubeletServingCertificateSigner: SIGNERS.serving,
      });
      expect(once.metadata.annotations ?? {}).not.toHaveProperty([CLIENT_SIGNER_ANNOTATION]);
      await register();
      expect((await read(KNOWING, "knowing")).metadata.resourceVersion).toBe(once.metadata.resourceVersion);
      expect(warnings).toEqual([]);
    });

    it("annotates where the definition drops them, once, and anew when they change", async () => {
      await aCluster("pruning", PRUNING, { apiVersion: `${PRUNING.group}/v1beta2` });
      const { register } = registration("pruning");
      await register();
      const once = await read(PRUNING, "pruning");
      expect(once.status).toEqual({ ready: "yes" });
      expect(once.metadata.annotations).toMatchObject({
        [CLIENT_SIGNER_ANNOTATION]: SIGNERS.client,
        [SERVING_SIGNER_ANNOTATION]: SIGNERS.serving,
      });
      await register();
      expect((await read(PRUNING, "pruning")).metadata.resourceVersion).toBe(once.metadata.resourceVersion);
      await registration("pruning", { client: "example.com/other", serving: undefined as never }).register();
      const { annotations = {} } = (await read(PRUNING, "pruning")).metadata;
      expect(annotations[CLIENT_SIGNER_ANNOTATION]).toBe("example.com/other");
      expect(annotations).not.toHaveProperty([SERVING_SIGNER_ANNOTATION]);
    });

    it("writes nothing where it may not, and says so once", async () => {
      await aCluster("foreign", FOREIGN, { apiGroup: FOREIGN.group });
      const { register, warnings } = registration("foreign");
      await register();
      await register();
      expect(warnings).toEqual(["signers are not registered with Cluster API"]);
      expect((await read(FOREIGN, "foreign")).metadata.annotations ?? {}).toEqual({});
    });

    it("takes a name that Clusters of two namespaces have for nobody's, and says whose it is", async () => {
      const apiVersion = "cluster.x-k8s.io/v1beta2";
      for (const namespace of ["default", "kube-system"])
        await plane.admin.create(CAPI_CLUSTERS_V1BETA2, {
          apiVersion,
          kind: "Cluster",
          metadata: { name: "twice", namespace },
        });
      const require = (cluster: ClusterName) => requireOneCluster(controller, { cluster, log: silentLog });
      await expect(require({ name: "twice" })).rejects.toMatchObject({
        code: "bad-config",
        message: expect.stringContaining("default/twice, kube-system/twice"),
      });
      await require({ name: "twice", namespace: "default" });
      await require({ name: "knowing" });
      const { register, warnings } = registration("twice");
      await register();
      expect(warnings).toEqual(["signers are not registered with Cluster API"]);
    });

    it("leaves other clusters alone: which is meant must be known", async () => {
      const before = await read(KNOWING, "knowing");
      await registration(undefined, { ...SIGNERS, client: "example.com/other" }).register();
      await registration("no-such-cluster", { ...SIGNERS, client: "example.com/other" }).register();
      expect((await read(KNOWING, "knowing")).metadata.resourceVersion).toBe(before.metadata.resourceVersion);
    });
  });
}
