import { describe, expect, it } from "vitest";
import { randomBytes } from "../../platform/keys/index.ts";
import { encodeToken, generateToken, parseToken } from "./token.ts";

describe("bootstrap tokens", () => {
  it("have the form that Kubernetes reads", () => {
    const token = generateToken(randomBytes);
    expect(encodeToken(token)).toMatch(/^[a-z0-9]{6}\.[a-z0-9]{16}$/);
    expect(parseToken(encodeToken(token))).toEqual(token);
  });

  it("use every character equally: bytes that would favour some are thrown away", () => {
    const bytes = Array.from({ length: 256 }, (_, at) => at);
    let at = 0;
    const counting = (count: number) => Uint8Array.from({ length: count }, () => bytes[at++ % 256] ?? 0);
    const counts = new Map<string, number>();
    // 126 tokens use 2,772 characters: the fair 252 bytes exactly eleven times.
    for (let made = 0; made < 126; made++) {
      const { id, secret } = generateToken(counting);
      for (const character of id + secret) counts.set(character, (counts.get(character) ?? 0) + 1);
    }
    expect(counts.size).toBe(36);
    expect(new Set(counts.values())).toEqual(new Set([77]));
  });

  it.each(["", "abcdef", "abcdef.0123456789abcde", "ABCDEF.0123456789abcdef", "abcdef.0123456789abcdef\n", "a.b"])(
    "are not made of %j, and the text is not repeated",
    (text) => {
      expect(() => parseToken(text)).toThrow(/^token is not of the form/);
    },
  );
});
