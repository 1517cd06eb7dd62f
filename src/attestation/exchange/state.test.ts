import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { dropExchange, loadExchange, saveExchange, stageOf } from "./state.ts";

let directory = "";
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "countersign-exchange-"));
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

describe("a saved exchange", () => {
  const request = {
    name: "countersign-hello-x",
    signerName: "s/x",
    usages: ["digital signature"],
    request: Uint8Array.of(1, 2),
  };
  const exchange = { key: "PEM", protocol: "tpm/1", about: "a", hello: request };
  const path = () => join(directory, "exchange.json");

  it("comes back as it was, for its owner only, and goes when dropped", async () => {
    await saveExchange(path(), { ...exchange, proof: { ...request, uid: "u" }, hasBegunAgain: true });
    expect(statSync(path()).mode & 0o777).toBe(0o600);
    expect(await loadExchange(path())).toEqual({ ...exchange, proof: { ...request, uid: "u" }, hasBegunAgain: true });
    await dropExchange(path());
    await dropExchange(path());
    expect(await loadExchange(path())).toBeUndefined();
  });

  it("knows its stage", () => {
    const sent = { ...exchange, hello: { ...request, uid: "u" } };
    expect(stageOf(undefined)).toBe("nothing");
    expect(stageOf(exchange)).toBe("hello-saved");
    expect(stageOf(sent)).toBe("hello-sent");
    expect(stageOf({ ...sent, proof: request })).toBe("proof-saved");
    expect(stageOf({ ...sent, proof: { ...request, uid: "u" } })).toBe("proof-sent");
  });

  it("of a renewal in one has no hello", async () => {
    const { hello: _, ...short } = { ...exchange, proof: request };
    await saveExchange(path(), short);
    expect(await loadExchange(path())).toEqual(short);
    expect(stageOf(short)).toBe("proof-saved");
  });

  it.each([
    "",
    "{",
    "null",
    "{}",
    '{"key":"k","protocol":"p","about":"a","hello":{"name":1}}',
    '{"key":"k","protocol":"p","about":"a"}',
  ])("that is not whole (%s) counts as none", async (text) => {
    writeFileSync(path(), text);
    expect(await loadExchange(path())).toBeUndefined();
    expect(readFileSync(path(), "utf8")).toBe(text);
  });
});
