import { describe, expect, it } from "vitest";
import { parseBootstrapToken } from "./token.ts";

describe("a bootstrap token", () => {
  it("is an id and a secret", () => {
    expect(parseBootstrapToken("ae23dc.faddc87f5a5ab458")).toEqual({ id: "ae23dc", secret: "faddc87f5a5ab458" });
  });

  const refused: Record<string, string> = {
    "has no upper case": "AE23DC.faddc87f5a5ab458",
    "has a dot": "ae23dcfaddc87f5a5ab458",
    "has a full secret": "ae23dc.faddc87f5a5ab45",
    "ends where it ends": "ae23dc.faddc87f5a5ab458\n",
    "is not empty": "",
  };
  for (const [sentence, text] of Object.entries(refused)) {
    it(sentence, () => expect(() => parseBootstrapToken(text)).toThrow("token is not of the form"));
  }

  it("is not repeated in the message", () => {
    expect(() => parseBootstrapToken("ae23dc.faddc87f5a5ab458x")).toThrow(/^(?!.*faddc87)/);
  });
});
