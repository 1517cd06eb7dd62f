import { describe, expect, it } from "vitest";
import { encodeHex, encodeUtf8, parseHex } from "../../kernel/bytes/index.ts";
import { publicPointOf } from "../../kernel/crypto/index.ts";
import { encodeRecipient, isSealed, openEnvelope, parseRecipient, sealEnvelope } from "./sealed.ts";

const id = parseHex("0011223344556677");
const scalar = new Uint8Array(32).fill(5);
const recipient = { id, point: publicPointOf("P-256", scalar) };
const cri = encodeUtf8("certification request info");
const envelope = encodeUtf8('{"a":1}');
const sealed = sealEnvelope(envelope, { recipient, ephemeralScalar: new Uint8Array(32).fill(6), cri });

describe("sealed evidence", () => {
  it("is opened by its recipient, for its own request", () => {
    expect(isSealed(sealed)).toBe(true);
    expect(isSealed(envelope)).toBe(false);
    expect(encodeHex(sealed.subarray(0, 10))).toBe("01001122334455667704");
    expect(
      openEnvelope(
        sealed,
        [
          { id: parseHex("ff".repeat(8)), scalar },
          { id, scalar },
        ],
        cri,
      ),
    ).toEqual(envelope);
  });

  const refused: Readonly<Record<string, () => unknown>> = {
    "an unknown key id": () => openEnvelope(sealed, [], cri),
    "another key under the same id": () => openEnvelope(sealed, [{ id, scalar: new Uint8Array(32).fill(7) }], cri),
    "another request": () => openEnvelope(sealed, [{ id, scalar }], encodeUtf8("other")),
    "an altered text": () => openEnvelope(flip(sealed, sealed.length - 20), [{ id, scalar }], cri),
    "an altered tag": () => openEnvelope(flip(sealed, sealed.length - 1), [{ id, scalar }], cri),
    "an altered point, off the curve": () => openEnvelope(flip(sealed, 40), [{ id, scalar }], cri),
    "a compressed point": () =>
      openEnvelope(
        sealed.map((octet, at) => (at === 9 ? 2 : octet)),
        [{ id, scalar }],
        cri,
      ),
    "another mark": () =>
      openEnvelope(
        sealed.map((octet, at) => (at === 0 ? 2 : octet)),
        [{ id, scalar }],
        cri,
      ),
    "a cut": () => openEnvelope(sealed.subarray(0, 70), [{ id, scalar }], cri),
  };
  it.each(Object.entries(refused))("refuses %s", (_, run) => {
    expect(run).toThrow(expect.objectContaining({ name: "Fault" }));
  });

  it("names its recipient in one word, which comes back as it was", () => {
    const written = {
      id: Uint8Array.of(0, 1, 2, 3, 4, 5, 6, 255),
      point: publicPointOf("P-256", new Uint8Array(32).fill(5)),
    };
    expect(parseRecipient(encodeRecipient(written))).toEqual(written);
    for (const bad of ["", "00:AA", `${"0".repeat(16)}:AAAA`, `${encodeRecipient(written)} `])
      expect(() => parseRecipient(bad)).toThrow(/recipient/);
  });
});

function flip(bytes: Uint8Array, at: number): Uint8Array {
  return bytes.map((octet, index) => (index === at ? octet ^ 1 : octet));
}
