import { describe, expect, it } from "vitest";
import { dialableAddress } from "./dialable-address.ts";

describe("where others reach a server", () => {
  it.each(["10.0.0.1", "2001:db8::1"])("is %s, on which it listens", (host) =>
    expect(dialableAddress(host)).toBe(host),
  );

  it.each(["127.0.0.1", "::1", "169.254.1.1", "localhost"])("is nowhere when it listens on %s", (host) =>
    expect(dialableAddress(host)).toBeUndefined(),
  );
});
