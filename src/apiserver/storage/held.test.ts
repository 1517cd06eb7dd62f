import { describe, expect, it } from "vitest";
import { createParsedObjects, Held } from "./held.ts";

const text = (name: string) => JSON.stringify({ apiVersion: "v1", kind: "ConfigMap", metadata: { name } });
const LENGTH = text("a").length;

describe("objects that are kept as text", () => {
  it("are parsed on demand, and the same value is given again", () => {
    const held = new Held({ key: "a", revision: 1, text: text("a") }, createParsedObjects());
    expect(held.object).toEqual(JSON.parse(text("a")));
    expect(held.object).toBe(held.object);
  });

  it("are remembered while there is room, those longest unasked go first", () => {
    const parsed = createParsedObjects(2 * LENGTH);
    const [a, b, c] = ["a", "b", "c"].map((name) => new Held({ key: name, revision: 1, text: text(name) }, parsed));
    const [first, second] = [a?.object, b?.object];
    expect(a?.object).toBe(first);
    expect(c?.object).toBeDefined();
    expect(a?.object).toBe(first);
    expect(b?.object).not.toBe(second);
  });

  it("are remembered at least until the next one is asked for, however large", () => {
    const held = new Held({ key: "a", revision: 1, text: text("a") }, createParsedObjects(1));
    expect(held.object).toBe(held.object);
  });
});
