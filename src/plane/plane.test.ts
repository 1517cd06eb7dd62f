import { chmodSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { CLUSTER_ROLE_BINDINGS, CLUSTER_ROLES } from "../api/meta/index.ts";
import { systemClock } from "../platform/clock/index.ts";
import { silentLog } from "../platform/report/index.ts";
import { startPlane } from "./plane.ts";

const directory = mkdtempSync(join(tmpdir(), "countersign-plane-"));
afterEach(() => rmSync(directory, { recursive: true, force: true }));

const start = () =>
  startPlane({
    ...{ directory, host: "127.0.0.1", port: 0, kubeconfigOut: join(directory, "admin.kubeconfig") },
    ...{ allowInsecure: false, withoutController: true, clock: systemClock, log: silentLog },
  });

describe("a control plane that is started again", () => {
  it("does not give back what an operator took away, and mends what is its own", async () => {
    const bindings = ["kubeadm:node-autoapprove-bootstrap", "kubeadm:node-autoapprove-certificate-rotation"];
    const first = await start();
    for (const name of bindings) await first.client.delete(CLUSTER_ROLE_BINDINGS, { name });
    await first.client.delete(CLUSTER_ROLES, { name: "kubeadm:get-nodes" });
    await first.close();
    const second = await start();
    for (const name of bindings) {
      await expect(second.client.get(CLUSTER_ROLE_BINDINGS, { name })).rejects.toMatchObject({ code: "not-found" });
    }
    expect((await second.client.get(CLUSTER_ROLES, { name: "kubeadm:get-nodes" })).metadata.name).toBeDefined();
    expect((await second.client.get(CLUSTER_ROLE_BINDINGS, { name: "kubeadm:kubelet-bootstrap" })).kind).toBeDefined();
    await second.close();
  });
});

describe("a control plane in a directory that others can write", () => {
  it("is not started: whoever renames pki/ there would be its CA", async () => {
    mkdirSync(directory, { recursive: true });
    chmodSync(directory, 0o777);
    await expect(start()).rejects.toMatchObject({
      code: "bad-config",
      message: expect.stringContaining("can be written by others"),
    });
  });
});
