import { expect, it } from "vitest";
import { aCsr, withSigner } from "../../../../../test/builders/csr.ts";
import { factsOf } from "../../../../../test/builders/csr-facts.ts";
import { KUBELET_CLIENT_SIGNER } from "../../../../api/certificates/index.ts";
import { signerIsServed } from "./signer-is-served.ts";

it("passes a request for a signer that is served", () => {
  expect(signerIsServed.judge(factsOf(aCsr()))).toEqual({ kind: "Pass", note: KUBELET_CLIENT_SIGNER });
});

it.each(["kubernetes.io/legacy-unknown", "example.com/anything", "kubernetes.io/kube-apiserver-client-kubelet-x"])(
  "has no opinion about a request for %s",
  (signerName) => {
    expect(signerIsServed.judge(factsOf(aCsr(withSigner(signerName))))).toMatchObject({
      kind: "NoOpinion",
      reason: "SignerIsNotServed",
    });
  },
);
