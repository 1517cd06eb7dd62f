import { describe, expect, it } from "vitest";
import { parseHeaderFile } from "./fetch.ts";

describe("a header file", () => {
  it("has one header a line, with comments and empty lines between them", () => {
    const text = "# for the store\r\nAuthorization: Bearer a.b:c\r\n\r\nX-Group:  nodes \n";
    expect(parseHeaderFile(text)).toEqual({ authorization: "Bearer a.b:c", "x-group": "nodes" });
    expect(parseHeaderFile("")).toEqual({});
  });

  const refused: Record<string, [text: string, words: string]> = {
    "a value alone": ["hunter2", "line 1"],
    "a name with spaces": ["\nX Group: hunter2", "line 2"],
    "no name": [": hunter2", "line 1"],
    "a control character": ["A: hunter2\u0000", "line 1"],
    "a header twice": ["A: hunter2\na: hunter2", "twice"],
    "a header of the connection": ["Host: hunter2", "which is ours"],
    "a second length": ["Content-Length: 0", "which is ours"],
    "too many headers": [Array.from({ length: 17 }, (_, at) => `A${at}: hunter2`).join("\n"), "more than 16"],
    "no end": [`A: ${"hunter2".repeat(4_000)}`, "longer than"],
  };
  for (const [sentence, [text, words]] of Object.entries(refused)) {
    it(`is refused with ${sentence}, and its value is not repeated`, () => {
      expect(() => parseHeaderFile(text)).toThrow(words);
      expect(() => parseHeaderFile(text)).not.toThrow("hunter2");
    });
  }
});
