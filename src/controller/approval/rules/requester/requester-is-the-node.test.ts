import { describe, expect, it } from "vitest";
import { aCsr, aNode, aToken, forNode, from } from "../../../../../test/builders/csr.ts";
import { factsOf } from "../../../../../test/builders/csr-facts.ts";
import type { UserInfo } from "../../../../api/access/index.ts";
import { requesterIsTheNode } from "./requester-is-the-node.ts";

const REFUSED: Record<string, [UserInfo, string]> = {
  "a bootstrap token": [aToken("7f3a9c"), "RequesterIsNoNode"],
  "a node outside of the nodes' group, which kubelet-csr-approver does not look at": [
    { username: "system:node:worker-3", groups: ["system:authenticated"] },
    "RequesterIsNoNode",
  ],
  "a node that nobody authenticated": [
    { username: "system:node:worker-3", groups: ["system:nodes"] },
    "RequesterIsNoNode",
  ],
  "a node without a name": [
    { username: "system:node:", groups: ["system:nodes", "system:authenticated"] },
    "RequesterIsNoNode",
  ],
  "another node": [aNode("worker-4"), "RequesterIsAnotherNode"],
};

describe("requester-is-the-node", () => {
  it("passes the node itself, whatever further groups it has", () => {
    const node = { ...aNode("worker-3"), groups: ["system:nodes", "system:authenticated", "more"] };
    expect(requesterIsTheNode.judge(factsOf(aCsr(from(node), forNode("worker-3"))))).toMatchObject({ kind: "Pass" });
  });

  it.each(Object.entries(REFUSED))("refuses %s", (_, [requester, reason]) => {
    expect(requesterIsTheNode.judge(factsOf(aCsr(from(requester))))).toMatchObject({ kind: "Deny", reason });
  });
});
