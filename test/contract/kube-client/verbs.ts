import { describe, expect, it } from "vitest";
import type { CertificateSigningRequest } from "../../../src/api/certificates/index.ts";
import type { ConfigMap } from "../../../src/api/core/index.ts";
import { CONFIG_MAPS, CSRS, NODES } from "../../../src/api/meta/index.ts";
import type { Stage } from "../kube-client.ts";
import { aConfigMap, aKubeletRequest, aName, aNode } from "./objects.ts";

export function verbCases(stage: () => Stage): void {
  describe("create and get", () => {
    it("give the object as the server keeps it", async () => {
      const { admin, namespace } = stage();
      const created = await admin.create(CONFIG_MAPS, aConfigMap(namespace));
      expect(created).toMatchObject({ apiVersion: "v1", kind: "ConfigMap", data: { colour: "green" } });
      expect(created.metadata).toMatchObject({
        namespace,
        uid: expect.stringMatching(/^[0-9a-f-]{36}$/),
        resourceVersion: expect.stringMatching(/^[1-9]\d*$/),
        creationTimestamp: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/),
      });
      const { name = "" } = created.metadata;
      expect(await admin.get(CONFIG_MAPS, { name, namespace })).toEqual(created);
    });

    it("make a name where only its beginning was given", async () => {
      const { admin, namespace } = stage();
      const wish: ConfigMap = { ...aConfigMap(namespace), metadata: { namespace, generateName: "made-" } };
      const { metadata } = await admin.create(CONFIG_MAPS, wish);
      expect(metadata.name).toMatch(/^made-[a-z0-9]{5}$/);
    });

    it("work for objects without a namespace, and names with dots", async () => {
      const { admin } = stage();
      const name = aName("node.example.com");
      await admin.create(NODES, aNode(name));
      expect((await admin.get(NODES, { name })).metadata).toMatchObject({ name });
    });
  });

  describe("update", () => {
    it("replaces the object and gives it a later version", async () => {
      const { admin, namespace } = stage();
      const created = await admin.create(CONFIG_MAPS, aConfigMap(namespace));
      const updated = await admin.update<ConfigMap>(CONFIG_MAPS, { ...created, data: { colour: "red" } });
      expect(updated.data).toEqual({ colour: "red" });
      expect(Number(updated.metadata.resourceVersion)).toBeGreaterThan(Number(created.metadata.resourceVersion));
      expect(updated.metadata.uid).toBe(created.metadata.uid);
    });

    it("of a subresource changes that part", async () => {
      const { admin } = stage();
      const created = await admin.create(CSRS, aKubeletRequest());
      const condition = {
        type: "Approved",
        status: "True",
        reason: "Contract",
        message: "approved by the suite",
      } as const;
      const wish: CertificateSigningRequest = { ...created, status: { conditions: [condition] } };
      const approved = await admin.update(CSRS, wish, { subresource: "approval" });
      expect(approved.status?.conditions?.[0]).toMatchObject(condition);
      const { name = "" } = created.metadata;
      expect((await admin.get<CertificateSigningRequest>(CSRS, { name })).status?.conditions).toHaveLength(1);
    });
  });

  describe("patch", () => {
    it("of the merge kind changes what it names, and removes what it names null", async () => {
      const { admin, namespace } = stage();
      const { metadata } = await admin.create(CONFIG_MAPS, aConfigMap(namespace));
      const patch = { metadata: { annotations: { note: "here" } }, data: { colour: "blue", shape: null } };
      const target = { name: metadata.name ?? "", namespace };
      const patched = await admin.patch<ConfigMap>(CONFIG_MAPS, target, patch);
      expect([patched.data, patched.metadata.annotations]).toEqual([{ colour: "blue" }, { note: "here" }]);
    });
  });

  describe("delete", () => {
    it("removes the object", async () => {
      const { admin, namespace } = stage();
      const { metadata } = await admin.create(CONFIG_MAPS, aConfigMap(namespace));
      const target = { name: metadata.name ?? "", namespace };
      await admin.delete(CONFIG_MAPS, target);
      await expect(admin.get(CONFIG_MAPS, target)).rejects.toMatchObject({ code: "not-found" });
    });

    it("spares an object of another uid, and removes that of the uid given", async () => {
      const { admin, namespace } = stage();
      const { metadata } = await admin.create(CONFIG_MAPS, aConfigMap(namespace));
      const target = { name: metadata.name ?? "", namespace };
      const other = "00000000-0000-4000-8000-000000000000";
      await expect(admin.delete(CONFIG_MAPS, target, { uid: other })).rejects.toMatchObject({ code: "conflict" });
      await admin.delete(CONFIG_MAPS, target, { uid: metadata.uid ?? "" });
      await expect(admin.get(CONFIG_MAPS, target)).rejects.toMatchObject({ code: "not-found" });
    });
  });

  describe("list", () => {
    it("gives whole objects, kind and apiVersion included, and the version of the list", async () => {
      const { admin, namespace } = stage();
      const created = await admin.create(CONFIG_MAPS, aConfigMap(namespace));
      const list = await admin.list<ConfigMap>(CONFIG_MAPS, { namespace });
      expect(list.items).toContainEqual(created);
      expect(Number(list.metadata.resourceVersion)).toBeGreaterThanOrEqual(Number(created.metadata.resourceVersion));
    });

    it("keeps to one namespace, or spans all", async () => {
      const { admin, namespace } = stage();
      const created = await admin.create(CONFIG_MAPS, aConfigMap(namespace));
      const other = await admin.list(CONFIG_MAPS, { namespace: "kube-system" });
      expect(other.items.map(({ metadata }) => metadata.name)).not.toContain(created.metadata.name);
      expect((await admin.list<ConfigMap>(CONFIG_MAPS)).items).toContainEqual(created);
    });

    it("selects by labels and by name", async () => {
      const { admin, namespace } = stage();
      const app = aName("app");
      const [one, two] = await Promise.all(
        ["one", "two"].map((tier) => admin.create(CONFIG_MAPS, aConfigMap(namespace, { labels: { app, tier } }))),
      );
      const names = async (selection: { labelSelector?: string; fieldSelector?: string }) =>
        (await admin.list(CONFIG_MAPS, { namespace, ...selection })).items.map(({ metadata }) => metadata.name).sort();
      expect(await names({ labelSelector: `app=${app}` })).toEqual([one?.metadata.name, two?.metadata.name].sort());
      expect(await names({ labelSelector: `app=${app},tier in (two, three)` })).toEqual([two?.metadata.name]);
      expect(await names({ labelSelector: `app=${app},tier notin (two)` })).toEqual([one?.metadata.name]);
      expect(await names({ fieldSelector: `metadata.name=${one?.metadata.name}` })).toEqual([one?.metadata.name]);
    });

    it("comes in pages that together are one state, whatever changes between them", async () => {
      const { admin, namespace } = stage();
      const app = aName("page");
      const labels = { app };
      const names = [1, 2, 3, 4, 5].map((number) => `${app}-${number}`);
      for (const name of names) await admin.create(CONFIG_MAPS, aConfigMap(namespace, { name, labels }));
      const options = { namespace, labelSelector: `app=${app}`, limit: 2 };
      const first = await admin.list(CONFIG_MAPS, options);
      await admin.delete(CONFIG_MAPS, { name: `${app}-5`, namespace });
      await admin.create(CONFIG_MAPS, aConfigMap(namespace, { name: `${app}-6`, labels }));
      const second = await admin.list(CONFIG_MAPS, { ...options, continue: first.metadata.continue });
      const third = await admin.list(CONFIG_MAPS, { ...options, continue: second.metadata.continue });
      const pages = [first, second, third];
      expect(pages.map(({ items }) => items.map(({ metadata }) => metadata.name))).toEqual([
        names.slice(0, 2),
        names.slice(2, 4),
        names.slice(4),
      ]);
      expect(new Set(pages.map(({ metadata }) => metadata.resourceVersion)).size).toBe(1);
      expect(third.metadata.continue ?? "").toBe("");
    });

    it("of nothing is empty", async () => {
      const { admin, namespace } = stage();
      const list = await admin.list(CONFIG_MAPS, { namespace, labelSelector: "app=nobody" });
      expect(list.items).toEqual([]);
      expect(list.metadata.resourceVersion).toMatch(/^[1-9]\d*$/);
    });
  });

  it("raw requests reach what is not a resource", async () => {
    const { status, body } = await stage().admin.raw("GET", "/version");
    expect(status).toBe(200);
    expect(JSON.parse(body.toString("utf8"))).toMatchObject({
      major: "1",
      gitVersion: expect.stringMatching(/^v1\.\d+/),
    });
    expect((await stage().admin.raw("GET", "/readyz")).status).toBe(200);
  });
}
