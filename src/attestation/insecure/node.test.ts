import { describe, expect, it } from "vitest";
import { someStatement } from "../../../test/builders/exchange.ts";
import { INSECURE_CLIENT_SIGNER } from "../../api/certificates/index.ts";
import { generatePrivateKey } from "../../platform/keys/index.ts";
import { readEvidence } from "../rules/index.ts";
import { createInsecureProvider } from "./node.ts";

describe("the insecure provider", () => {
  const provider = createInsecureProvider();
  const openOptions = { clock: { now: () => 0, sleep: async () => undefined }, signal: new AbortController().signal };

  it("asks in one request whose evidence is empty, and says in it what it claims", async () => {
    const [protocol = { provider: "", version: 0 }] = provider.protocols;
    const statement = someStatement({ signer: INSECURE_CLIENT_SIGNER, offered: ["insecure/1"] });
    const prover = await provider.open(openOptions);
    const { request, name } = await prover.single({ statement, protocol, key: generatePrivateKey("P-256").signer });
    const { envelope } = readEvidence(request, { signerProvider: "insecure", recipients: [] });
    expect(name).toMatch(/^countersign-single-[a-z2-7]{52}$/);
    expect(envelope).toMatchObject({ ok: true, value: { parsed: { ...statement, body: { kind: "insecure" } } } });
  });

  it("may neither renew nor serve, as the seed demands", () => {
    expect([provider.canRenew, provider.canServe]).toEqual([false, false]);
  });

  it("has the name that its signer ends with", () => {
    expect(INSECURE_CLIENT_SIGNER).toBe(`cluster.x-k8s.io/kube-apiserver-client-kubelet-${provider.name}`);
  });
});
