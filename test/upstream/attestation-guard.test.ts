// The admission guard on a real kube-apiserver: what it refuses, whom it lets through, and that the controller believes
// it as the server stores it.

import { readFile } from "node:fs/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { parseAllDocuments } from "yaml";
import type { CertificateSigningRequest } from "../../src/api/certificates/index.ts";
import { CSRS, type KubeObject } from "../../src/api/meta/index.ts";
import { createGuard, GUARD_BINDINGS, GUARD_POLICIES } from "../../src/controller/identities/guard.ts";
import { removeRequest } from "../../src/controller/judging/tidy.ts";
import { isFault } from "../../src/kernel/outcome/index.ts";
import { systemClock } from "../../src/platform/clock/index.ts";
import { createKubeClient, type KubeClient, loadKubeconfigClient } from "../../src/platform/kube/index.ts";
import { silentLog } from "../../src/platform/report/index.ts";
import { aClientCertificate } from "../builders/client-certificate.ts";
import { aCsr, withSigner } from "../builders/csr.ts";
import { ensureKubeadmObjects, eventually } from "../contract/controller-stage.ts";
import { startControlPlane } from "./harness/index.ts";

const SIGNER = "cluster.x-k8s.io/kube-apiserver-client-kubelet-tpm";
const EK = "cluster.x-k8s.io/tpm-endorsement-key";

describe("the admission guard on a real kube-apiserver", () => {
  let plane: Awaited<ReturnType<typeof startControlPlane>>;
  let admin: KubeClient;
  let joining: KubeClient;
  beforeAll(async () => {
    plane = await startControlPlane();
    const { url, caPem } = plane;
    admin = await loadKubeconfigClient(plane.adminKubeconfigPath);
    await ensureKubeadmObjects(admin, url);
    const groups = ["system:bootstrappers", "system:bootstrappers:kubeadm:default-node-token"];
    const credentials = aClientCertificate(plane, { user: "system:bootstrap:abcdef", groups });
    joining = createKubeClient({ server: url, caPem, credentials: () => credentials });
    const text = await readFile(new URL("../../deploy/guard.yaml", import.meta.url), "utf8");
    const [policy, binding] = parseAllDocuments(text).map((document) => document.toJS() as KubeObject);
    await admin.create(GUARD_POLICIES, policy as KubeObject);
    await admin.create(GUARD_BINDINGS, binding as KubeObject);
    await eventually(
      "the guard to stand",
      () => ask({ annotations: { [EK]: "x" } }),
      (code) => code !== "created",
    );
  });
  afterAll(async () => {
    await Promise.all([admin?.close(), joining?.close()]);
    await plane?.stop();
  });

  async function ask(metadata: object, { client = joining, request = "" } = {}): Promise<string> {
    const { apiVersion, kind, spec } = aCsr(withSigner(SIGNER));
    const { signerName, usages } = spec;
    const sent = { apiVersion, kind, metadata: { generateName: "csr-", ...metadata } };
    try {
      await client.create(CSRS, {
        ...sent,
        spec: { request: request || spec.request, signerName, usages },
      } as KubeObject);
      return "created";
    } catch (error) {
      return isFault(error) ? error.code : String(error);
    }
  }

  it.each<[string, object]>([
    ["a challenge", { annotations: { "countersign.dev/challenge": "{}" } }],
    ["an endorsement key", { annotations: { [EK]: "x" } }],
    ["a finalizer", { finalizers: ["example.com/mine"] }],
    ["an owner", { ownerReferences: [{ apiVersion: "v1", kind: "Node", name: "n", uid: "u" }] }],
  ])("refuses %s of the requester's own, and lets an administrator set it", async (_, metadata) => {
    expect(await ask(metadata)).toBe("forbidden");
    expect(await ask(metadata, { client: admin })).toBe("created");
  });

  it("lets a plain request pass, and none of more than 64 KiB", async () => {
    expect(await ask({ annotations: { "example.com/note": "x" } })).toBe("created");
    const { spec } = aCsr(withSigner(SIGNER));
    const pem = Buffer.from(spec.request, "base64").toString();
    const request = Buffer.from(pem + "#".repeat(70_000)).toString("base64");
    expect(await ask({}, { request })).not.toBe("created");
  });

  it("is not needed to delete a request that has a finalizer", async () => {
    const { apiVersion, kind, spec } = aCsr(withSigner(SIGNER));
    const { request, signerName, usages } = spec;
    const metadata = { generateName: "csr-", finalizers: ["example.com/mine"] };
    const sent = { apiVersion, kind, metadata, spec: { request, signerName, usages } } as CertificateSigningRequest;
    const csr = await admin.create<CertificateSigningRequest>(CSRS, sent);
    await removeRequest({ client: admin }, csr);
    await expect(admin.get(CSRS, { name: csr.metadata.name ?? "" })).rejects.toMatchObject({ code: "not-found" });
  });

  it("is believed as the server stores it, and no longer once somebody changed it", async () => {
    const request = {
      csr: {},
      object: { name: "csr", annotations: { [EK]: `sha256:${"ab".repeat(32)}` }, createdMs: Date.now() + 60_000 },
    } as never;
    const guard = () =>
      createGuard({ client: admin, clock: systemClock, log: silentLog, events: { record: () => undefined } });
    expect(await guard().annotationOf(request)).toMatchObject([{ statement: { kind: "Present" } }]);
    const change = { spec: { failurePolicy: "Ignore" } };
    await admin.patch(GUARD_POLICIES, { name: "countersign-guard" }, change, { type: "merge" });
    expect(await guard().annotationOf(request)).toEqual([]);
  });
});
