import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { encodePem, parsePem } from "./index.ts";

const one = "-----BEGIN ONE-----\nAQI=\n-----END ONE-----\n";
const two = "-----BEGIN TWO-----\nAwQ=\n-----END TWO-----\n";
const labels = (text: string) => parsePem(text).map(({ label }) => label);

describe("PEM", () => {
  it("writes 64 columns and a final newline", () => {
    const lines = encodePem("CERTIFICATE", new Uint8Array(49)).split("\n");
    expect(lines).toEqual(["-----BEGIN CERTIFICATE-----", "A".repeat(64), "AA==", "-----END CERTIFICATE-----", ""]);
  });

  it("reads back what it wrote", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
        expect(parsePem(encodePem("X", bytes))).toEqual([{ label: "X", headers: [], bytes }]);
      }),
    );
  });

  it("reads several blocks with text around and between them", () => {
    const blocks = parsePem(`subject=CN = a\n${one}\nissuer: b\n${two}the end`);
    expect(blocks.map(({ label, bytes }) => [label, [...bytes]])).toEqual([
      ["ONE", [1, 2]],
      ["TWO", [3, 4]],
    ]);
  });

  it("keeps the headers before the body", () => {
    const text = "-----BEGIN K-----\nProc-Type: 4,ENCRYPTED\nDEK-Info: x\n\nAQI=\n-----END K-----";
    expect(parsePem(text)).toEqual([
      { label: "K", headers: ["Proc-Type: 4,ENCRYPTED", "DEK-Info: x"], bytes: Uint8Array.of(1, 2) },
    ]);
  });

  // Each answer was compared with Go's encoding/pem.
  const asGo: Readonly<Record<string, readonly [text: string, labels: readonly string[]]>> = {
    "reads carriage returns and blanks at line ends": [
      "-----BEGIN A----- \t\r\nAQ I=\t\r\n-----END A-----  \r\n",
      ["A"],
    ],
    "reads a body on one line of any length": [`-----BEGIN A-----\n${"AQID".repeat(50)}\n-----END A-----`, ["A"]],
    "reads tail bits that are not zero": ["-----BEGIN A-----\nAQJ=\n-----END A-----", ["A"]],
    "reads an empty block": ["-----BEGIN A-----\n-----END A-----\n", ["A"]],
    "reads an empty label": ["-----BEGIN -----\nAQI=\n-----END -----\n", [""]],
    "skips a block without an end before a whole one": [`-----BEGIN A-----\nAQI=\n${one}`, ["ONE"]],
    "skips a block whose labels differ": [`-----BEGIN A-----\nAQI=\n-----END B-----\n${one}`, ["ONE"]],
    "skips a block with a damaged body": [`-----BEGIN A-----\nAQ*=\n-----END A-----\n${one}`, ["ONE"]],
    "skips a block without padding": [`-----BEGIN A-----\nAQI\n-----END A-----\n${one}`, ["ONE"]],
    "skips a BEGIN that is not at the start of a line": [` ${one}${two}`, ["TWO"]],
    "skips an END that is not at the start of a line": [`-----BEGIN A-----\nAQI= -----END A-----\n${one}`, ["ONE"]],
    "skips text after the END line's dashes": [`-----BEGIN A-----\nAQI=\n-----END A----- x\n${one}`, ["ONE"]],
    "skips a BEGIN line without its dashes": [`-----BEGIN A\nAQI=\n-----END A-----\n${one}`, ["ONE"]],
    "stops at a label with a colon, which makes its END line a header": [
      `-----BEGIN A:B-----\n-----END A:B-----\n${one}`,
      [],
    ],
    "finds nothing in plain text": ["hello\n", []],
    "finds nothing in nothing": ["", []],
  };
  for (const [sentence, [text, expected]] of Object.entries(asGo)) {
    it(sentence, () => expect(labels(text)).toEqual(expected));
  }

  it("refuses too much text and too many blocks", () => {
    expect(() => parsePem(" ".repeat(4 * 1024 * 1024 + 1))).toThrow("longer than");
    expect(() => parsePem(one.repeat(1025))).toThrow("more than 1024 blocks");
    expect(parsePem(one.repeat(1024))).toHaveLength(1024);
  });

  it("takes time in proportion to the text, whatever is in it", () => {
    const hostile = [
      "\n-----END A-----",
      "-----BEGIN A-----\n",
      "\n-----END ",
      "a:b\n",
      "-----BEGIN A-----\na:b\n\n-----END B-----\n",
    ];
    for (const piece of hostile) parsePem(piece.repeat(Math.floor((1024 * 1024) / piece.length)).slice(0, 1024 * 1024));
  });
});
