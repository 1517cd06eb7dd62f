import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { isFault } from "../outcome/index.ts";
import { encodeBase64, encodeBase64Url, parseBase64, parseBase64Lenient, parseBase64Url } from "./encodings.ts";

function faultOf(run: () => unknown): string {
  try {
    run();
  } catch (fault) {
    return isFault(fault) ? fault.code : "not a fault";
  }
  return "none";
}

describe("base64", () => {
  it("agrees with Buffer on every byte string", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 100 }), (bytes) => {
        expect(encodeBase64(bytes)).toBe(Buffer.from(bytes).toString("base64"));
        expect(encodeBase64Url(bytes)).toBe(Buffer.from(bytes).toString("base64url"));
        expect(parseBase64(encodeBase64(bytes))).toEqual(bytes);
        expect(parseBase64Url(encodeBase64Url(bytes))).toEqual(bytes);
      }),
    );
  });

  const refused: Readonly<Record<string, string>> = {
    "without padding": "QQ",
    "with too much padding": "QQ===",
    "with padding in the middle": "QQ==QUFB",
    "with padding alone": "====",
    "with a character of the URL alphabet": "QQ-_",
    "with white space": "QUFB\nQUFB",
    "with non-zero bits after the last byte": "QR==",
    "with a character outside ASCII": "QUF\u0141",
  };
  for (const [sentence, text] of Object.entries(refused)) {
    it(`refuses text ${sentence}`, () => expect(faultOf(() => parseBase64(text))).toBe("malformed"));
  }

  it("refuses padding and impossible lengths in the URL alphabet", () => {
    for (const text of ["QQ==", "Q", "QUFBQ", "QQ+/"])
      expect(
        faultOf(() => parseBase64Url(text)),
        text,
      ).toBe("malformed");
  });

  it("reads any tail bits when told to be as lenient as Go", () => {
    expect(parseBase64Lenient("QR==")).toEqual(Uint8Array.of(0x41));
    expect(faultOf(() => parseBase64Lenient("QQ"))).toBe("malformed");
  });
});
