import { describe, expect, it } from "vitest";
import { CONFIG_MAPS, NODES, type Resource, SECRETS } from "../../../src/api/meta/index.ts";
import type { Stage } from "../kube-client.ts";
import { aConfigMap, aName, aNode } from "./objects.ts";

export function refusalCases(stage: () => Stage): void {
  describe("a refusal has its code and the server's own words", () => {
    it("not-found: get, update, patch and delete of an object that is not there", async () => {
      const { admin, namespace } = stage();
      const name = aName("nobody");
      const target = { name, namespace };
      const refusal = { code: "not-found", message: `configmaps "${name}" not found`, detail: { status: 404 } };
      await expect(admin.get(CONFIG_MAPS, target)).rejects.toMatchObject(refusal);
      await expect(admin.update(CONFIG_MAPS, aConfigMap(namespace, { name }))).rejects.toMatchObject(refusal);
      await expect(admin.patch(CONFIG_MAPS, target, { data: {} })).rejects.toMatchObject(refusal);
      await expect(admin.delete(CONFIG_MAPS, target)).rejects.toMatchObject(refusal);
    });

    it("not-found: a resource that the server does not serve", async () => {
      const unknown: Resource = {
        group: "nobody.example",
        version: "v1",
        plural: "things",
        kind: "Thing",
        namespaced: false,
      };
      await expect(stage().admin.list(unknown)).rejects.toMatchObject({ code: "not-found" });
    });

    it("already-exists: create of a name that is taken", async () => {
      const { admin } = stage();
      const node = aNode();
      await admin.create(NODES, node);
      await expect(admin.create(NODES, node)).rejects.toMatchObject({
        code: "already-exists",
        message: `nodes "${node.metadata.name}" already exists`,
      });
    });

    it("conflict: update of a version that is no longer the latest, which changes nothing", async () => {
      const { admin, namespace } = stage();
      const created = await admin.create(CONFIG_MAPS, aConfigMap(namespace));
      const updated = await admin.update(CONFIG_MAPS, { ...created, data: { colour: "red" } });
      await expect(admin.update(CONFIG_MAPS, { ...created, data: { colour: "blue" } })).rejects.toMatchObject({
        code: "conflict",
        retryable: true,
        message:
          `Operation cannot be fulfilled on configmaps "${created.metadata.name}": ` +
          "the object has been modified; please apply your changes to the latest version and try again",
      });
      expect(await admin.get(CONFIG_MAPS, { name: created.metadata.name ?? "", namespace })).toEqual(updated);
    });

    it("invalid: an object that breaks the rules of its kind, with the fields that do", async () => {
      const { admin, namespace } = stage();
      const wrong = aConfigMap(namespace, { name: "Not_A_Name" });
      await expect(admin.create(CONFIG_MAPS, wrong)).rejects.toMatchObject({
        code: "invalid",
        message: expect.stringMatching(
          /^ConfigMap "Not_A_Name" is invalid: metadata\.name: Invalid value: "Not_A_Name": /,
        ),
        detail: { status: 422, causes: ["FieldValueInvalid metadata.name"] },
      });
    });

    it("malformed: a continue token, a selector and a name that make no sense", async () => {
      const { admin, namespace } = stage();
      const malformed = { code: "malformed", detail: { status: 400 } };
      await expect(admin.list(CONFIG_MAPS, { namespace, continue: "!" })).rejects.toMatchObject(malformed);
      await expect(admin.list(CONFIG_MAPS, { namespace, fieldSelector: "spec.nothing=1" })).rejects.toMatchObject(
        malformed,
      );
      await expect(admin.list(CONFIG_MAPS, { namespace, labelSelector: "a in" })).rejects.toMatchObject(malformed);
    });

    it("forbidden: what this user may not do", async () => {
      const { anonymous } = stage();
      await expect(anonymous.list(SECRETS)).rejects.toMatchObject({
        code: "forbidden",
        retryable: false,
        message: expect.stringMatching(/^secrets is forbidden: User "system:anonymous" cannot list resource "secrets"/),
      });
    });

    it("unauthorized: a token that nobody issued", async () => {
      await expect(stage().impostor.list(NODES)).rejects.toMatchObject({
        code: "unauthorized",
        message: "Unauthorized",
      });
    });

    it("aborted: a call that its caller gave up before it began", async () => {
      const signal = AbortSignal.abort();
      await expect(stage().admin.list(NODES, { signal })).rejects.toMatchObject({ code: "aborted" });
    });
  });
}
