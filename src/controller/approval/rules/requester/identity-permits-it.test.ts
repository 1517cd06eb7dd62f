import { describe, expect, it } from "vitest";
import { aCsr } from "../../../../../test/builders/csr.ts";
import { aPolicy, factsOf } from "../../../../../test/builders/csr-facts.ts";
import { anIdentity } from "../../../../../test/builders/exchange.ts";
import { aSoftTpm } from "../../../../../test/builders/soft-tpm.ts";
import { KUBELET_CLIENT_SIGNER, KUBELET_SERVING_SIGNER } from "../../../../api/certificates/index.ts";
import type { Admission } from "../../../../api/countersign/index.ts";
import { BINDING_RULES, chainOf, STRICTER_RULES } from "../../chains.ts";
import { identityPermitsIt } from "./identity-permits-it.ts";

const identity = { kind: "Present", value: anIdentity(aSoftTpm()) } as const;

describe("identity-permits-it", () => {
  it("passes a node without an identity", () => {
    expect(identityPermitsIt.judge(factsOf(aCsr())).kind).toBe("Pass");
  });

  it("refuses a request without proof for a node that proved what it is", () => {
    expect(identityPermitsIt.judge(factsOf(aCsr(), { identity }))).toMatchObject({
      kind: "Deny",
      reason: "EvidenceRequired",
      message: expect.stringContaining("was attested by tpm"),
    });
  });

  it("waits while nobody knows whether the node has an identity", () => {
    const unread = { kind: "NotRead", why: "not yet" } as const;
    expect(identityPermitsIt.judge(factsOf(aCsr(), { identity: unread }))).toMatchObject({
      kind: "Wait",
      reason: "IdentityNotRead",
    });
  });

  it.each<Admission | undefined>([undefined, "Evidence", "Machine", "Access"])(
    "stands in every chain of a node, before whoever admits: %s",
    (admit) => {
      const policy = admit === undefined ? undefined : aPolicy({ client: { admit } });
      for (const signer of [KUBELET_CLIENT_SIGNER, KUBELET_SERVING_SIGNER]) {
        const ids = (chainOf(signer, policy) ?? []).map(({ id }) => id);
        expect(ids).toContain("identity-permits-it");
        const admitting = ids.findIndex((id) => ["requester-has-access", "requester-may-ask"].includes(id));
        if (admitting >= 0) expect(ids.indexOf("identity-permits-it")).toBeLessThan(admitting);
      }
    },
  );

  it("cannot be switched off, and binds", () => {
    expect(STRICTER_RULES).not.toContain("identity-permits-it");
    expect(BINDING_RULES).toEqual(["identity-permits-it"]);
  });
});
