import { describe, expect, it } from "vitest";
import { createNullProvider, NULL_AUTHENTICATOR, NULL_CLIENT_SIGNER } from "./index.ts";

describe("the null provider", () => {
  const provider = createNullProvider();

  it("proves nothing and may renew, which is why it must not ship", async () => {
    expect(await provider.attest({ nodeName: "worker-1", publicKey: new Uint8Array() })).toEqual({
      data: new Uint8Array(),
    });
    expect(provider.canRenew).toBe(true);
  });

  it("is what its plugin says of it", async () => {
    expect(NULL_AUTHENTICATOR).toMatchObject({ program: `kubelet-authenticator-${provider.name}`, canRenew: true });
    expect(NULL_CLIENT_SIGNER).toMatch(new RegExp(`-${provider.name}$`));
    expect((await NULL_AUTHENTICATOR.loadProvider()).name).toBe(provider.name);
  });
});
