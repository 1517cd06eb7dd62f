import { describe, expect, it } from "vitest";
import { INSECURE_CLIENT_SIGNER } from "../../../api/certificates/index.ts";
import { createInsecureProvider } from "./index.ts";

describe("the insecure provider", () => {
  const provider = createInsecureProvider();

  it("proves nothing, whatever it is asked", async () => {
    const evidence = await provider.attest({ nodeName: "worker-1", publicKey: new Uint8Array(91) });
    expect(evidence.data).toHaveLength(0);
  });

  it("may not renew, as the seed demands", () => expect(provider.canRenew).toBe(false));

  it("has the name that its signer ends with", () => {
    expect(INSECURE_CLIENT_SIGNER).toBe(`cluster.x-k8s.io/kube-apiserver-client-kubelet-${provider.name}`);
  });
});
