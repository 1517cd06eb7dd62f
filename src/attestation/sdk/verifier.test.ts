import type { Answer, Question, Verifier } from "@countersign/sdk";
import { describe, expect, it } from "vitest";
import type { ProviderVerifier } from "../../controller/judging/exchange/world.ts";
import { createSdkVerifier } from "./verifier.ts";

const attested: Answer = { kind: "Attested", level: "Key", pins: { key: "k" } };

describe("a verifier of the SDK in the controller", () => {
  it("has the controller's shape, and shows a provider no more of a Machine than the contract names", async () => {
    const seen: Question[] = [];
    const verifier: Verifier = {
      name: "example",
      contractVersion: 1,
      versions: [1],
      freshness: "challenge",
      gatherLimitMs: 1_000,
      gather: async (question) => seen.push(question),
      verifyClient: () => attested,
      verifyServing: () => attested,
    };
    const adapted: ProviderVerifier = createSdkVerifier(verifier);
    const machine = { namespace: "n", name: "m", uid: "u", providerId: "p", createdMs: 1, addresses: [], secret: "s" };
    const question = { request: { purpose: "client" }, machine } as unknown as Parameters<typeof adapted.ask>[0];
    expect(await adapted.ask(question, { signal: new AbortController().signal })).toEqual(attested);
    expect(Object.keys(seen[0]?.machine ?? {})).toEqual([
      "namespace",
      "name",
      "uid",
      "providerId",
      "createdMs",
      "addresses",
    ]);
    expect(adapted).toMatchObject({ name: "example", versions: [1], freshness: "challenge" });
  });
});
