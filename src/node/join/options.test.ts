import { describe, expect, it } from "vitest";
import { parseNodeName } from "./options.ts";

describe("a node's name", () => {
  for (const name of ["worker-1", "a", "10.0.0.7", "ip-10-0-0-7.eu.example", "a".repeat(63), `a.${"b".repeat(251)}`]) {
    it(`may be ${name.slice(0, 30)}`, () => expect(parseNodeName(name)).toBe(name));
  }

  const refused: Record<string, string> = {
    "be empty": "",
    "have upper case": "Worker-1",
    "start with a dash": "-a",
    "end with a dot": "a.",
    "have an empty part": "a..b",
    "climb out of a directory": "../a",
    "carry a second subject": "a/CN=system:node:b",
    "have a line end": "a\n",
    "be longer than 253 characters": "a".repeat(254),
  };
  for (const [sentence, name] of Object.entries(refused)) {
    it(`may not ${sentence}`, () => expect(() => parseNodeName(name)).toThrow("is not a DNS name"));
  }
});
