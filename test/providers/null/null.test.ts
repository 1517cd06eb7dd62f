import { describe, expect, it } from "vitest";
import { createNullProvider, NULL_AUTHENTICATOR, NULL_CLIENT_SIGNER } from "./index.ts";

describe("the null provider", () => {
  const provider = createNullProvider();

  it("may renew and serve, which is why it must not ship", () => {
    expect([provider.canRenew, provider.canServe]).toEqual([true, true]);
  });

  it("is what its plugin says of it", async () => {
    expect(NULL_AUTHENTICATOR).toMatchObject({ program: `kubelet-authenticator-${provider.name}`, canRenew: true });
    expect(NULL_CLIENT_SIGNER).toMatch(new RegExp(`-${provider.name}$`));
    expect((await NULL_AUTHENTICATOR.loadProvider(new Map())).name).toBe(provider.name);
  });
});
