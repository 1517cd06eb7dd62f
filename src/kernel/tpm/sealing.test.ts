import { describe, expect, it } from "vitest";
import { encodeHex, parseHex } from "../bytes/index.ts";
import { sha256 } from "../crypto/index.ts";
import { SEALED_ATTRIBUTES } from "./commands/objects.ts";
import { createSealed, loadSealed, STORAGE_TEMPLATES, unseal } from "./index.ts";
import { encodePublicArea } from "./public-area.ts";
import { STORAGE_ATTRIBUTES, STORAGE_UNIQUE } from "./templates.ts";

const hex = parseHex;
const sized = (content: string) => (content.length / 2).toString(16).padStart(4, "0") + content;
const response = (tag: string, body: string) =>
  hex(`${tag + (10 + body.length / 2).toString(16).padStart(8, "0")}00000000${body}`);
/** Parameters with their size, then the empty answer of a password session. */
const withSession = (handle: string, parameters: string) =>
  response("8002", `${handle + (parameters.length / 2).toString(16).padStart(8, "0") + parameters}0000010000`);

const AUTHORIZATION = "00000009400000090000010000";
const SEALED_PUBLIC = "0008000b00000452000000100000";

describe("commands that seal", () => {
  const sent: Readonly<Record<string, [Uint8Array, string]>> = {
    Create: [
      createSealed(0x80000000, hex("aabb")).bytes,
      `8002000000390000015380000000${AUTHORIZATION}${sized(`0000${sized("aabb")}`)}${sized(SEALED_PUBLIC)}000000000000`,
    ],
    Load: [
      loadSealed(0x80000000, { publicArea: hex(SEALED_PUBLIC), privateArea: hex("010203") }).bytes,
      `8002000000300000015780000000${AUTHORIZATION}${sized("010203")}${sized(SEALED_PUBLIC)}`,
    ],
    Unseal: [unseal(0x80000001).bytes, `80020000001b0000015e80000001${AUTHORIZATION}`],
  };
  it.each(Object.entries(sent))("%s is byte for byte what the specification says", (_, [bytes, expected]) => {
    expect(encodeHex(bytes)).toBe(expected);
  });

  it("read their answers", () => {
    const creation = `${sized("00") + sized("11".repeat(32))}80214000000b${sized("22".repeat(32))}`;
    const created = createSealed(1, hex("aa")).parse(
      withSession("", sized("010203") + sized(SEALED_PUBLIC) + creation),
    );
    expect(created).toEqual({ privateArea: hex("010203"), publicArea: hex(SEALED_PUBLIC) });
    const name = sized(`000b${"33".repeat(32)}`);
    expect(loadSealed(1, created).parse(withSession("80000002", name))).toEqual({ handle: 0x80000002 });
    expect(unseal(1).parse(withSession("", sized("a5a5")))).toEqual(hex("a5a5"));
  });

  const refused: Readonly<Record<string, [() => unknown, string]>> = {
    "another TPM's object": [
      () => loadSealed(1, { publicArea: hex(""), privateArea: hex("") }).parse(hex("80010000000a000001df")),
      "untrusted",
    ],
    "a secret with a tail": [() => unseal(1).parse(withSession("", `${sized("a5")}00`)), "malformed"],
    "half a creation": [() => createSealed(1, hex("aa")).parse(withSession("", "0005aa")), "malformed"],
  };
  it.each(Object.entries(refused))("refuse %s", (_, [act, code]) => {
    expect(act).toThrow(expect.objectContaining({ code }));
  });

  it("make what cannot leave the TPM, under a parent of our own that cannot either", () => {
    expect(SEALED_ATTRIBUTES).toBe(0x2 | 0x10 | 0x40 | 0x400);
    expect(STORAGE_ATTRIBUTES).toBe(0x2 | 0x10 | 0x20 | 0x40 | 0x400 | 0x10000 | 0x20000);
    expect(encodeHex(STORAGE_UNIQUE)).toBe(encodeHex(sha256(Buffer.from("countersign.dev storage key 1"))));
    const unique = encodeHex(STORAGE_UNIQUE);
    expect(encodeHex(encodePublicArea(STORAGE_TEMPLATES.ecc))).toBe(
      `0023000b000304720000${"000600800043"}00100003${"0010"}0020${unique}0020${"00".repeat(32)}`,
    );
    expect(encodeHex(encodePublicArea(STORAGE_TEMPLATES.rsa))).toBe(
      `0001000b000304720000${"000600800043"}0010${"0800"}00000000${"0020"}${unique}`,
    );
  });
});
