import { describe, expect, it } from "vitest";
import { aCsr, forNode } from "../../../../../test/builders/csr.ts";
import { factsOf } from "../../../../../test/builders/csr-facts.ts";
import { nodeNameIsValid } from "./node-name-is-valid.ts";

const ALLOWED = ["a", "10", "worker-3", "ip-10-0-0-1.eu-1.compute.internal", "a".repeat(63)];
const REFUSED: Record<string, string> = {
  "an empty name": "",
  "upper case": "Worker-3",
  "a space at the end": "worker-3 ",
  "a line break at the end": "worker-3\n",
  "a NUL in the middle": "worker\u0000-3",
  "a path": "../worker-3",
  "a homograph": "w\u043erker-3",
  "254 characters": "a".repeat(254),
};

describe("node-name-is-valid", () => {
  it.each(ALLOWED)("passes %s", (name) => {
    expect(nodeNameIsValid.judge(factsOf(aCsr(forNode(name))))).toEqual({ kind: "Pass", note: name });
  });

  it.each(Object.entries(REFUSED))("refuses %s", (_, name) => {
    expect(nodeNameIsValid.judge(factsOf(aCsr(forNode(name))))).toMatchObject({
      kind: "Deny",
      reason: "NodeNameIsInvalid",
    });
  });
});
