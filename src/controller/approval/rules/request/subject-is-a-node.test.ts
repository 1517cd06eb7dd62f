import { describe, expect, it } from "vitest";
import { aCsr, type CsrModifier, forNode, withSubject } from "../../../../../test/builders/csr.ts";
import { factsOf } from "../../../../../test/builders/csr-facts.ts";
import { CN, O, rawName } from "../../../../../test/builders/raw-name.ts";
import { subjectIsANode } from "./subject-is-a-node.ts";

const ALLOWED: Record<string, CsrModifier> = {
  "a node": forNode("worker-3"),
  "an empty node name, which another rule refuses": forNode(""),
  "the common name before the organization": rawName([CN, "system:node:worker-3"], [O, "system:nodes"]),
  "two common names, of which the last counts": rawName([O, "system:nodes"], [CN, "x"], [CN, "system:node:b"]),
};

const REFUSED: Record<string, [CsrModifier, string]> = {
  "a group of administrators": [
    withSubject({ commonName: "system:node:a", organizations: ["system:masters"] }),
    "OrganizationIsNotSystemNodes",
  ],
  "a group of administrators beside the nodes": [
    withSubject({ commonName: "system:node:a", organizations: ["system:nodes", "system:masters"] }),
    "OrganizationIsNotSystemNodes",
  ],
  "the nodes' group twice": [
    rawName([O, "system:nodes"], [O, "system:nodes"], [CN, "system:node:a"]),
    "OrganizationIsNotSystemNodes",
  ],
  "no organization": [withSubject({ commonName: "system:node:a" }), "OrganizationIsNotSystemNodes"],
  "no common name": [withSubject({ organizations: ["system:nodes"] }), "CommonNameIsNotANode"],
  "an administrator": [
    withSubject({ commonName: "kubernetes-admin", organizations: ["system:nodes"] }),
    "CommonNameIsNotANode",
  ],
  "two common names, of which the last is nobody's": [
    rawName([O, "system:nodes"], [CN, "system:node:b"], [CN, "x"]),
    "CommonNameIsNotANode",
  ],
};

describe("subject-is-a-node", () => {
  it.each(Object.entries(ALLOWED))("passes %s", (_, modifier) => {
    expect(subjectIsANode.judge(factsOf(aCsr(modifier)))).toMatchObject({ kind: "Pass" });
  });

  it.each(Object.entries(REFUSED))("refuses %s", (_, [modifier, reason]) => {
    expect(subjectIsANode.judge(factsOf(aCsr(modifier)))).toMatchObject({ kind: "Deny", reason });
  });
});
