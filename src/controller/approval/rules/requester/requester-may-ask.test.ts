import { describe, expect, it } from "vitest";
import { aCsr, aNode, aToken, forNode, from } from "../../../../../test/builders/csr.ts";
import { aPolicy, factsOf } from "../../../../../test/builders/csr-facts.ts";
import type { UserInfo } from "../../../../api/access/index.ts";
import { requesterMayAsk } from "./requester-may-ask.ts";

const REFUSED: Record<string, [UserInfo, string]> = {
  "an administrator": [{ username: "kubernetes-admin", groups: ["system:masters"] }, "RequesterIsNeitherTokenNorNode"],
  nobody: [{ username: "", groups: [] }, "RequesterIsNeitherTokenNorNode"],
  "a service account in the bootstrappers' group": [
    { username: "system:serviceaccount:default:x", groups: ["system:bootstrappers"] },
    "RequesterIsNeitherTokenNorNode",
  ],
  "a token's name outside of its group": [
    { username: "system:bootstrap:7f3a9c", groups: ["system:authenticated"] },
    "RequesterIsNeitherTokenNorNode",
  ],
  "a token with an impossible id": [
    { username: "system:bootstrap:7f3a9c0", groups: ["system:bootstrappers"] },
    "RequesterIsNeitherTokenNorNode",
  ],
  "a node's name outside of system:nodes": [
    { username: "system:node:worker-3", groups: ["system:authenticated"] },
    "RequesterIsNeitherTokenNorNode",
  ],
  "another node": [aNode("worker-4"), "RequesterIsAnotherNode"],
  "a node whose name begins with the wanted one": [aNode("worker-33"), "RequesterIsAnotherNode"],
};

describe("requester-may-ask", () => {
  it("passes a bootstrap token", () => {
    expect(requesterMayAsk.judge(factsOf(aCsr(from(aToken("7f3a9c")))))).toEqual({
      kind: "Pass",
      note: "bootstrap token 7f3a9c",
    });
  });

  it("refuses bootstrap tokens where the policy does, and still passes its bootstrap users", () => {
    const policy = aPolicy({ client: { requesters: ["boot"], bootstrapTokens: "Refuse" } });
    expect(requesterMayAsk.judge(factsOf(aCsr(from(aToken("7f3a9c"))), { policy }))).toMatchObject({
      kind: "Deny",
      reason: "BootstrapTokensAreRefused",
    });
    const own = aPolicy({ client: { requesters: ["system:bootstrap:7f3a9c"], bootstrapTokens: "Refuse" } });
    expect(requesterMayAsk.judge(factsOf(aCsr(from(aToken("7f3a9c"))), { policy: own }))).toMatchObject({
      kind: "Pass",
    });
    const listed = aCsr(from({ username: "boot", groups: ["system:authenticated"] }));
    expect(requesterMayAsk.judge(factsOf(listed, { policy }))).toMatchObject({ kind: "Pass" });
  });

  it("passes the node itself", () => {
    const csr = aCsr(from(aNode("worker-3")), forNode("worker-3"));
    expect(requesterMayAsk.judge(factsOf(csr))).toEqual({ kind: "Pass", note: "system:node:worker-3 itself" });
  });

  it("passes a bootstrap user of the policy, and only under the policy", () => {
    const username = "system:serviceaccount:openshift-machine-config-operator:node-bootstrapper";
    const csr = aCsr(from({ username, groups: ["system:serviceaccounts", "system:authenticated"] }));
    const policy = aPolicy({ client: { requesters: [username] } });
    expect(requesterMayAsk.judge(factsOf(csr, { policy }))).toMatchObject({ kind: "Pass" });
    expect(requesterMayAsk.judge(factsOf(csr, { policy: aPolicy() }))).toMatchObject({ kind: "Deny" });
  });

  it.each(Object.entries(REFUSED))("refuses %s", (_, [requester, reason]) => {
    expect(requesterMayAsk.judge(factsOf(aCsr(from(requester))))).toMatchObject({ kind: "Deny", reason });
  });
});
