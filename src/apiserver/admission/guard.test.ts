import { describe, expect, it } from "vitest";
import { aCsr, withSigner } from "../../../test/builders/csr.ts";
import { CSRS } from "../../api/meta/index.ts";
import type { Attempt } from "../call.ts";
import { csrGuard } from "./guard.ts";
import type { Questions } from "./plugin.ts";

const SIGNER = "cluster.x-k8s.io/kube-apiserver-client-kubelet-tpm";

function judge(
  change: { readonly metadata?: object; readonly request?: string },
  options: { readonly maySet?: boolean; readonly signer?: string } = {},
) {
  const csr = aCsr(withSigner(options.signer ?? SIGNER));
  const object = {
    ...csr,
    metadata: { ...csr.metadata, ...change.metadata },
    spec: { ...csr.spec, ...(change.request === undefined ? {} : { request: change.request }) },
  };
  const attempt = { resource: CSRS, operation: "CREATE", subresource: "", user: { username: "u", groups: [] }, object };
  const authorize = () => ({ kind: options.maySet === true ? "Allow" : "Deny" });
  return csrGuard.judge(attempt as unknown as Attempt, { authorize, isGuarded: true } as unknown as Questions)?.reason;
}

describe("the admission guard", () => {
  it.each<[string, object]>([
    ["a challenge", { annotations: { "countersign.dev/challenge": "{}" } }],
    ["an endorsement key", { annotations: { "cluster.x-k8s.io/tpm-endorsement-key": "x" } }],
    ["an endorsement key in the seed's spelling", { annotations: { "cluster-x-k8s-io/tpm-endorsement-key": "x" } }],
    ["a finalizer", { finalizers: ["example.com/mine"] }],
    ["an owner", { ownerReferences: [{ apiVersion: "v1", kind: "Node", name: "n", uid: "u" }] }],
  ])("refuses %s of the requester's own, and lets the platform set it", (_, metadata) => {
    expect(judge({ metadata })).toBe("MetadataNotAllowed");
    expect(judge({ metadata }, { maySet: true })).toBeUndefined();
  });

  it("lets other annotations pass", () => {
    expect(judge({ metadata: { annotations: { "example.com/note": "x" } } })).toBeUndefined();
  });

  it("refuses a request of more than 64 KiB under our signers, from any user, and only there", () => {
    const request = "A".repeat(87_388);
    expect(judge({ request }, { maySet: true })).toBe("RequestTooLarge");
    expect(judge({ request }, { signer: "kubernetes.io/kube-apiserver-client" })).toBeUndefined();
    expect(judge({ request: "A".repeat(87_384) })).toBeUndefined();
  });
});
