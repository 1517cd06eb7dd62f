import { randomBytes } from "node:crypto";
import { describe, expect, it } from "vitest";
import { createRandomPool } from "./random.ts";

describe("the pool of random bytes", () => {
  it("hands out every byte once, in order, and keeps none of them", () => {
    const drawn: Buffer[] = [];
    const pool = createRandomPool((count) => {
      const bytes = randomBytes(count);
      drawn.push(bytes);
      return bytes;
    });
    const all = Buffer.from(Array.from({ length: 128 }, () => [...pool(16)]).flat());
    const [first = Buffer.alloc(0)] = drawn;
    expect(drawn).toHaveLength(1);
    expect(new Set(all).size).toBeGreaterThan(200);
    expect(first.every((byte) => byte === 0)).toBe(true);
    pool(1);
    expect(drawn).toHaveLength(2);
  });

  it("asks directly for what is larger than the pool", () => {
    expect(createRandomPool((count) => new Uint8Array(count))(5_000)).toHaveLength(5_000);
  });
});
