import { describe, expect, it } from "vitest";
import { aCsr, type CsrModifier, forNode, withSubject } from "../../../../test/builders/csr.ts";
import { factsOf } from "../../../../test/builders/csr-facts.ts";
import { encodeDirectoryString, encodeOid, encodeSequence, encodeSetOf } from "../../../kernel/der/index.ts";
import { subjectIsANode } from "./subject-is-a-node.ts";

const CN = "2.5.4.3";
const O = "2.5.4.10";
const OU = "2.5.4.11";

function rawName(...attributes: readonly (readonly [oid: string, value: string])[]): CsrModifier {
  const sets = attributes.map(([oid, value]) =>
    encodeSetOf([encodeSequence([encodeOid(oid), encodeDirectoryString(value)])]),
  );
  return withSubject(encodeSequence(sets));
}

const ALLOWED: Record<string, CsrModifier> = {
  "a short name": forNode("a"),
  "a name with dots": forNode("ip-10-0-0-1.eu-1.compute.internal"),
  "a name of digits": forNode("10"),
  "the common name before the organization": rawName([CN, "system:node:worker-3"], [O, "system:nodes"]),
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
  "an empty node name": [forNode(""), "CommonNameIsNotANode"],
  "upper case": [forNode("Worker-3"), "CommonNameIsNotANode"],
  "a space at the end": [forNode("worker-3 "), "CommonNameIsNotANode"],
  "a line break at the end": [forNode("worker-3\n"), "CommonNameIsNotANode"],
  "a path": [forNode("../worker-3"), "CommonNameIsNotANode"],
  "a homograph": [forNode("wоrker-3"), "CommonNameIsNotANode"],
  "254 characters": [forNode("a".repeat(254)), "CommonNameIsNotANode"],
  "a second common name, of which the last counts": [
    rawName([O, "system:nodes"], [CN, "system:node:a"], [CN, "system:node:b"]),
    "SubjectHasForeignAttributes",
  ],
  "an organizational unit": [
    rawName([O, "system:nodes"], [OU, "x"], [CN, "system:node:a"]),
    "SubjectHasForeignAttributes",
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
