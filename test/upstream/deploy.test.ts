// What operators apply, applied: a real kube-apiserver takes every manifest of deploy/ as it is written, strictly, and
// a second time without a change. The Deployment is only asked about: there is nothing here that would run its pods.

import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { SubjectAccessReview } from "../../src/api/access/index.ts";
import { SUBJECT_ACCESS_REVIEWS } from "../../src/api/meta/index.ts";
import { loadKubeconfigClient } from "../../src/platform/kube/index.ts";
import { type ControlPlane, manifestPath, startControlPlane } from "./harness/index.ts";

/** In the order of docs/guides/controller.md: a policy needs its definition, a binding its namespace. */
const APPLIED = ["crds/joinpolicies.yaml", "crds/nodeidentities.yaml", "guard.yaml", "controller-rbac.yaml"];
/** For a management cluster, where the namespace of the Cluster is there already. */
const MANAGEMENT = "management-rbac.yaml";
const POLICIES = ["policies/machines.yaml", "policies/serving.yaml"];

let plane: ControlPlane;
beforeAll(async () => {
  plane = await startControlPlane();
  for (const manifest of APPLIED) {
    const { code, stderr } = await apply(manifest);
    if (code !== 0) throw new Error(`${manifest}: ${stderr}`);
  }
  await plane.kubectl(["wait", "--for=condition=Established", "crd", "--all", "--timeout=30s"]);
});
afterAll(() => plane?.stop());

function apply(manifest: string, ...more: readonly string[]) {
  return plane.kubectl(["apply", "--validate=strict", "-f", manifestPath(manifest), ...more]);
}

describe("deploy/ on a real kube-apiserver", () => {
  it.each(APPLIED)("%s is taken, and applied again it changes nothing", async (manifest) => {
    const { code, stdout, stderr } = await apply(manifest);
    expect([code, stderr]).toEqual([0, ""]);
    expect(
      stdout
        .trim()
        .split("\n")
        .filter((line) => !line.endsWith(" unchanged")),
    ).toEqual([]);
  });

  it(`${MANAGEMENT} is taken, and gives the Machines and the CA of one cluster, and nothing of another`, async () => {
    expect(await plane.kubectl(["create", "namespace", "fleet"])).toMatchObject({ code: 0 });
    expect(await apply(MANAGEMENT)).toMatchObject({ code: 0, stderr: "" });
    const account = "system:serviceaccount:countersign-system:node-attestation-controller-east";
    const inFleet = { namespace: "fleet", verb: "list" };
    const machines = { group: "cluster.x-k8s.io", resource: "machines" };
    expect(await may({ ...inFleet, ...machines }, account)).toBe(true);
    expect(await may({ ...inFleet, ...machines, namespace: "default" }, account)).toBe(false);
    expect(await may({ ...inFleet, resource: "secrets", name: "east-ca" }, account)).toBe(true);
    expect(await may({ ...inFleet, resource: "secrets", name: "west-ca" }, account)).toBe(false);
    expect(await may({ ...inFleet, resource: "secrets" }, account)).toBe(false);
  });

  it.each(POLICIES)("%s is taken by the schema of its definition", async (manifest) => {
    expect(await apply(manifest, "--dry-run=server")).toMatchObject({ code: 0, stderr: "" });
  });

  it("controller.yaml is taken, and nothing in it is unknown or out of use", async () => {
    const { code, stdout, stderr } = await apply("controller.yaml", "--dry-run=server");
    expect([code, stderr]).toEqual([0, ""]);
    expect(stdout).toContain("deployment.apps/node-attestation-controller created (server dry run)");
  });

  it("the service account of the Deployment has the rights of its duties, and not those beside them", async () => {
    const csrs = { group: "certificates.k8s.io", resource: "certificatesigningrequests" };
    const signer = (name: string) => ({ verb: "sign", group: "certificates.k8s.io", resource: "signers", name });
    expect(await may({ verb: "update", ...csrs, subresource: "approval" })).toBe(true);
    expect(await may(signer("kubernetes.io/kubelet-serving"))).toBe(true);
    expect(await may(signer("kubernetes.io/legacy-unknown"))).toBe(false);
    expect(await may({ verb: "get", resource: "secrets", namespace: "default" })).toBe(false);
    expect(await may({ verb: "create", group: "rbac.authorization.k8s.io", resource: "clusterrolebindings" })).toBe(
      false,
    );
  });
});

const CONTROLLER = "system:serviceaccount:countersign-system:node-attestation-controller";

async function may(
  resourceAttributes: NonNullable<SubjectAccessReview["spec"]["resourceAttributes"]>,
  user = CONTROLLER,
): Promise<boolean> {
  const client = await loadKubeconfigClient(plane.adminKubeconfigPath);
  try {
    const { status } = await client.create<SubjectAccessReview>(SUBJECT_ACCESS_REVIEWS, {
      apiVersion: "authorization.k8s.io/v1",
      kind: "SubjectAccessReview",
      metadata: {},
      spec: { user, resourceAttributes },
    });
    return status?.allowed === true;
  } finally {
    await client.close();
  }
}
