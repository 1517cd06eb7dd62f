// A node whose certificate was stolen, against everything that is not its own. Held by the embedded server and by a
// real one alike: what a real one refuses, ours must refuse.

import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { ClientCertificate } from "../builders/client-certificate.ts";
import { createWorld, HIDDEN, POD_SPEC } from "../builders/node-world.ts";
import { type ApiEndpoint, callApi, type Received } from "../fakes/api-client.ts";
import { patient } from "../patience.ts";

export interface AttackedServer {
  readonly server: ApiEndpoint;
  issueClientCertificate(subject: { user: string; groups?: readonly string[] }): ClientCertificate;
  close(): Promise<void>;
}

const SECRETS = "/api/v1/namespaces/a/secrets";
const PODS = "/api/v1/namespaces/a/pods";
const TOKENS = "/api/v1/namespaces/a/serviceaccounts";
const CLAIMS = "/api/v1/namespaces/a/persistentvolumeclaims";
const MERGE = { "content-type": "application/merge-patch+json" };

/** How long a real server may take until its authorizer has seen a change. */
const SETTLE_LIMIT_MS = patient(10_000);

export function describeNodeAttacks(what: string, start: () => Promise<AttackedServer>): void {
  describe(`a stolen node certificate, on ${what}`, () => {
    let attacked: AttackedServer;
    let certificate: ClientCertificate;
    const asNode = (request: string, body?: unknown, headers: Record<string, string> = {}): Promise<Received> => {
      const [method = "", path = ""] = request.split(" ");
      const typed = method === "PATCH" ? { ...MERGE, ...headers } : headers;
      return callApi(attacked.server, {
        method,
        path,
        headers: typed,
        as: certificate,
        ...(body === undefined ? {} : { body }),
      });
    };
    const asAdmin = async (request: string, body?: unknown) => {
      const [method = "", path = ""] = request.split(" ");
      return callApi(attacked.server, { method, path, ...(body === undefined ? {} : { body }) });
    };
    const settled = async (isSettled: () => Promise<boolean>) => {
      const end = performance.now() + SETTLE_LIMIT_MS;
      while (!(await isSettled()) && performance.now() < end) await new Promise((resolve) => setTimeout(resolve, 50));
    };
    const uidOf = async (path: string): Promise<string> => (await asAdmin(`GET ${path}`)).body.metadata.uid;

    beforeAll(async () => {
      attacked = await start();
      certificate = attacked.issueClientCertificate({ user: "system:node:n1", groups: ["system:nodes"] });
      await createWorld(attacked.server);
      // The slices are made last.
      await settled(async () => (await asNode("GET /apis/resource.k8s.io/v1/resourceslices/slice-n1")).status === 200);
    });
    afterAll(() => attacked.close());

    const expectRefused = async (request: string, body?: unknown, text = / is forbidden: /) => {
      const answer = await asNode(request, body);
      expect([answer.status, answer.body?.message]).toEqual([403, expect.stringMatching(text)]);
      expect(answer.text).not.toContain(HIDDEN);
    };

    it("still does the work of its node", async () => {
      const secret = await asNode(`GET ${SECRETS}/s-env`);
      expect([secret.status, secret.body.data]).toEqual([200, { k: HIDDEN }]);
      const listed = await asNode(`GET ${SECRETS}?fieldSelector=metadata.name%3Ds-env`);
      expect(listed.body.items).toHaveLength(1);
      expect((await asNode("GET /api/v1/namespaces/b/secrets/s-stage")).status).toBe(200);
      const pods = await asNode("GET /api/v1/pods?fieldSelector=spec.nodeName%3Dn1");
      const names = pods.body.items.map(({ metadata }: { metadata: { name: string } }) => metadata.name);
      expect(names).toEqual(["p", "p-devices"]);
    });

    it.each([
      `GET ${SECRETS}/s-other`,
      `GET ${SECRETS}/s-unbound`,
      `GET ${SECRETS}/none`,
      "GET /api/v1/namespaces/b/secrets/s-env",
      "GET /api/v1/namespaces/b/secrets/s-stage-other",
      "GET /api/v1/namespaces/b/secrets/s-stage-free",
      `HEAD ${SECRETS}/s-other`,
    ])("does not get a secret that is not its own: %s", async (request) => {
      if (request.startsWith("HEAD")) expect((await asNode(request)).status).toBe(403);
      else await expectRefused(request, undefined, /no relationship found between node 'n1' and this object$/);
    });

    it.each([
      "GET /api/v1/secrets",
      `GET ${SECRETS}`,
      `GET ${SECRETS}?limit=1`,
      `GET ${SECRETS}?watch=true`,
      "GET /api/v1/secrets?watch=1",
      "GET /api/v1/watch/secrets",
      "GET /api/v1/watch/namespaces/a/secrets",
      "GET /api/v1/watch/namespaces/a/secrets/s-other",
      `GET ${SECRETS}?watch=true&fieldSelector=metadata.name%3Ds-other`,
      `GET ${SECRETS}?fieldSelector=metadata.name%3Ds-other`,
      `GET ${SECRETS}?fieldSelector=metadata.name%3D%3Ds-other`,
      `GET ${SECRETS}?fieldSelector=metadata.name!%3Ds-env`,
      `GET ${SECRETS}?fieldSelector=metadata.name!%3Ds-env,metadata.name%3Ds-other`,
      `GET ${SECRETS}?fieldSelector=metadata.namespace%3Da`,
      `GET ${SECRETS}?fieldSelector=type%3DOpaque`,
      `GET ${SECRETS}?fieldSelector=metadata.name%3D`,
      `GET ${SECRETS}?fieldSelector=metadata.name%3Ds-env%2F..%2Fs-other`,
      `GET ${SECRETS}?fieldSelector=nonsense`,
      `GET ${SECRETS}?labelSelector=metadata.name%3Ds-env`,
      `GET ${SECRETS}?fieldselector=metadata.name%3Ds-env`,
      "GET /api/v1/secrets?fieldSelector=metadata.name%3Ds-env,metadata.namespace%3Da",
      "GET /api/v1/watch/namespaces/a/secrets?fieldSelector=metadata.name%3Ds-env",
      `DELETE ${SECRETS}?fieldSelector=metadata.name%3Ds-env`,
    ])("does not list or watch its way to a secret: %s", async (request) => {
      await expectRefused(request);
    });

    it("gets no more from two selectors than from the one that was judged", async () => {
      const both = await asNode(`GET ${SECRETS}?fieldSelector=metadata.name%3Ds-env,metadata.name%3Ds-other`);
      expect([both.status, both.body.items]).toEqual([200, []]);
      const twice = `fieldSelector=metadata.name%3Ds-env&fieldSelector=metadata.name%3Ds-other`;
      const first = await asNode(`GET ${SECRETS}?${twice}`);
      expect(first.body.items.map((item: { metadata: { name: string } }) => item.metadata.name)).toEqual(["s-env"]);
      const watched = await asNode(`GET ${SECRETS}?watch=true&timeoutSeconds=1&${twice}`);
      expect(watched.text).not.toContain("s-other");
    });

    it("does not slip past its own secret with the token of a next page", async () => {
      const page = await asAdmin(`GET ${SECRETS}?limit=1`);
      const next = `&limit=500&continue=${page.body.metadata.continue}`;
      const answer = await asNode(`GET ${SECRETS}?fieldSelector=metadata.name%3Ds-env${next}`);
      expect(answer.text).not.toContain("s-other");
      await expectRefused(`GET ${SECRETS}?x=1${next}`);
    });

    it.each([
      `GET ${SECRETS}/s-env%2F..%2Fs-other`,
      `GET ${SECRETS}/s-env/../s-other`,
      `GET ${SECRETS}/../secrets/s-other`,
      `GET ${SECRETS}/S-OTHER`,
      `GET ${SECRETS}//s-other`,
    ])("does not find a secret by another path: %s", async (request) => {
      const answer = await asNode(request);
      expect(answer.status).toBeGreaterThanOrEqual(300);
      expect(answer.text).not.toContain(HIDDEN);
    });

    it("does not become somebody else", async () => {
      const answer = await asNode(`GET ${SECRETS}/s-other`, undefined, { "impersonate-user": "system:node:n2" });
      expect([answer.status, answer.text.includes(HIDDEN)]).toEqual([403, false]);
      const groups = { "impersonate-user": "x", "impersonate-group": "system:masters" };
      expect((await asNode(`GET ${SECRETS}/s-other`, undefined, groups)).status).toBe(403);
    });

    it.each([
      `GET ${PODS}`,
      "GET /api/v1/pods",
      "GET /api/v1/pods?fieldSelector=spec.nodeName%3Dn2",
      "GET /api/v1/pods?fieldSelector=spec.nodeName!%3Dn2",
      "GET /api/v1/pods?watch=true&fieldSelector=spec.nodeName!%3Dn1",
      "GET /api/v1/watch/pods?fieldSelector=spec.nodeName%3Dn1",
      `GET ${PODS}/p-other`,
      `GET ${PODS}/p-unbound`,
    ])("does not see pods that are not on it: %s", async (request) => {
      await expectRefused(request);
    });

    it("does not write pods that open a secret to it", async () => {
      const uid = await uidOf("/api/v1/nodes/n1");
      const owner = { apiVersion: "v1", kind: "Node", name: "n1", uid, controller: true };
      const pod = (spec: object, annotations: object = { "kubernetes.io/config.mirror": "x" }) => ({
        metadata: { name: "mirror", annotations, ownerReferences: [owner] },
        spec: { ...POD_SPEC, nodeName: "n1", ...spec },
      });
      const mount = { volumes: [{ name: "v", secret: { secretName: "s-other" } }] };
      await expectRefused(`POST ${PODS}`, pod(mount));
      await expectRefused(`POST ${PODS}`, pod({ ...mount, serviceAccountName: "app" }, {}));
      await expectRefused(`POST ${PODS}`, pod({ imagePullSecrets: [{ name: "s-other" }] }));
      await expectRefused(`POST ${PODS}`, pod({ volumes: [{ name: "v", csi: { driver: "d" } }] }));
      expect((await asNode(`POST ${PODS}`, pod({}))).status).toBe(201);
      await expectRefused(`PUT ${PODS}/mirror`, pod(mount));
      await expectRefused(`PATCH ${PODS}/mirror`, { spec: mount });
      await expectRefused(`PATCH ${PODS}/mirror/ephemeralcontainers`, { spec: { ephemeralContainers: [] } });
      const unmark = { metadata: { annotations: { "kubernetes.io/config.mirror": null } }, spec: mount };
      expect((await asNode(`PATCH ${PODS}/mirror/status`, unmark)).status).toBe(422);
      const sneaked = await asNode(`PATCH ${PODS}/mirror/status`, { spec: mount });
      expect(sneaked.text).not.toContain("s-other");
      await expectRefused(`GET ${SECRETS}/s-other`);
    });

    it("does not open a secret by a container that is added later", async () => {
      const env = [{ name: "A", valueFrom: { secretKeyRef: { name: "s-other", key: "k" } } }];
      const spec = { ephemeralContainers: [{ name: "e", image: "i", env }] };
      await expectRefused(`PATCH ${PODS}/p/ephemeralcontainers`, { spec });
      await expectRefused(`PUT ${PODS}/p/ephemeralcontainers`, { metadata: { name: "p" }, spec });
      await asNode(`PATCH ${PODS}/p/status`, { spec });
      await expectRefused(`GET ${SECRETS}/s-other`);
    });

    it("does not take pods, nor let others' go", async () => {
      const target = { apiVersion: "v1", kind: "Node", name: "n1" };
      await expectRefused(`POST ${PODS}/p-unbound/binding`, { metadata: { name: "p-unbound" }, target });
      await expectRefused("POST /api/v1/namespaces/a/bindings", { metadata: { name: "p-unbound" }, target });
      await expectRefused(`PATCH ${PODS}/p-unbound`, { spec: { nodeName: "n1" } });
      await expectRefused(`PATCH ${PODS}/p-unbound/status`, { spec: { nodeName: "n1" } });
      await expectRefused(`DELETE ${PODS}/p-other`);
      await expectRefused(`POST ${PODS}/p-other/eviction`, { metadata: { name: "p-other" } });
      await expectRefused(`DELETE ${PODS}?fieldSelector=spec.nodeName%3Dn1`);
    });

    it("does not open a secret by way of a volume", async () => {
      const claimRef = { kind: "PersistentVolumeClaim", namespace: "a", name: "claim" };
      const secretRef = { name: "s-other", namespace: "a" };
      const spec = { claimRef, cephfs: { monitors: ["m"], secretRef }, capacity: { storage: "1Gi" } };
      await expectRefused("POST /api/v1/persistentvolumes", { metadata: { name: "forged" }, spec });
      await expectRefused("PATCH /api/v1/persistentvolumes/pv-claim", {
        spec: { csi: { nodeStageSecretRef: secretRef } },
      });
      await expectRefused("PATCH /api/v1/persistentvolumes/pv-free", { spec: { claimRef } });
      await expectRefused(`PATCH ${CLAIMS}/claim`, { spec: { volumeName: "pv-free" } });
      await expectRefused(
        `PATCH ${CLAIMS}/claim/status`,
        { spec: { volumeName: "pv-free" } },
        /not allowed to update fields/,
      );
      await expectRefused(`PATCH ${CLAIMS}/claim-other/status`, { status: { capacity: { storage: "1Gi" } } });
      await expectRefused("GET /api/v1/namespaces/b/secrets/s-stage-free");
      await expectRefused("GET /api/v1/persistentvolumes/pv-free");
    });

    it("does not give itself claims in a status", async () => {
      const resourceClaimStatuses = [{ name: "none", resourceClaimName: "r-none" }];
      await expectRefused(
        `PATCH ${PODS}/p-devices/status`,
        { status: { resourceClaimStatuses } },
        /resource claim statues$/,
      );
      await expectRefused("GET /apis/resource.k8s.io/v1/namespaces/a/resourceclaims/r-none");
    });

    it("gets tokens only for its pods", async () => {
      const [own, other] = [await uidOf(`${PODS}/p`), await uidOf(`${PODS}/p-other`)];
      const bound = (name: string, uid: string, more: object = {}) => ({
        spec: { audiences: ["vault"], boundObjectRef: { apiVersion: "v1", kind: "Pod", name, uid }, ...more },
      });
      expect((await asNode(`POST ${TOKENS}/app/token`, bound("p", own))).status).toBe(201);
      await expectRefused(`POST ${TOKENS}/other/token`, bound("p-other", other), /no relationship found/);
      await expectRefused(`POST ${TOKENS}/app/token`, bound("p-other", other), /pod scheduled on a different node$/);
      await expectRefused(`POST ${TOKENS}/app/token`, bound("p", other), /does not match the UID in record/);
      await expectRefused(`POST ${TOKENS}/app/token`, { spec: {} }, /not bound to a pod$/);
      const node = { apiVersion: "v1", kind: "Node", name: "n1", uid: await uidOf("/api/v1/nodes/n1") };
      await expectRefused(`POST ${TOKENS}/app/token`, { spec: { boundObjectRef: node } }, /not bound to a pod$/);
      await expectRefused(
        `POST ${TOKENS}/app/token`,
        bound("p", own, { audiences: ["a", "vault"] }),
        /0 or 1 audiences$/,
      );
      await expectRefused(`POST ${TOKENS}/app/token`, bound("p", own, { audiences: [] }), /audience/);
      await expectRefused(
        "POST /api/v1/namespaces/b/serviceaccounts/app/token",
        bound("p", own),
        /no relationship found/,
      );
    });

    it("does not write what tells trusted nodes from others", async () => {
      const labels = { "node-restriction.kubernetes.io/trusted": "yes" };
      await expectRefused("PATCH /api/v1/nodes/n1", { metadata: { labels } }, /not allowed to modify labels/);
      await expectRefused("PATCH /api/v1/nodes/n1/status", { metadata: { labels } }, /not allowed to modify labels/);
      await expectRefused("PATCH /api/v1/nodes/n1", { spec: { taints: [] } }, /not allowed to modify taints$/);
      await expectRefused("PATCH /api/v1/nodes/n2/status", { status: {} }, /not allowed to modify node "n2"$/);
      await expectRefused("DELETE /api/v1/nodes/n1");
    });

    it("is no node without the group, nor without a name", async () => {
      const read = async (user: string, groups: readonly string[]) =>
        callApi(attacked.server, { path: `${SECRETS}/s-env`, as: attacked.issueClientCertificate({ user, groups }) });
      const plain = await read("system:node:n1", ["system:node"]);
      expect([plain.status, plain.text.includes(HIDDEN)]).toEqual([403, false]);
      const nameless = await read("system:node:", ["system:nodes"]);
      expect(nameless.body.message).toMatch(/: unknown node for user "system:node:"$/);
    });

    it("loses a secret with the pod that needed it", async () => {
      expect((await asNode(`GET ${SECRETS}/s-env`)).status).toBe(200);
      expect((await asAdmin(`DELETE ${PODS}/p`, { gracePeriodSeconds: 0 })).status).toBe(200);
      await settled(async () => (await asNode(`GET ${SECRETS}/s-env`)).status === 403);
      await expectRefused(`GET ${SECRETS}/s-env`, undefined, /no relationship found/);
      await expectRefused("GET /api/v1/namespaces/b/secrets/s-stage", undefined, /no relationship found/);
    });
  });
}
