import { describe, expect, it } from "vitest";
import { encodeHex, encodeUtf8 } from "../bytes/index.ts";
import { encodeDirectoryString, encodeOid, encodeSequence, encodeSetOf, encodeTlv, TAG } from "../der/index.ts";
import { encodeName, parseName } from "./name.ts";
import { OID_COMMON_NAME, OID_ORGANIZATION } from "./oids.ts";

const attribute = (oid: string, value: string) => encodeSequence([encodeOid(oid), encodeDirectoryString(value)]);

describe("names", () => {
  it("are written as a kubelet writes its own: organization, then common name, each a set of one", () => {
    const raw = encodeName({ commonName: "system:node:a", organizations: ["system:nodes"] });
    const organization = `3115301306035504 0a130c${encodeHex(encodeUtf8("system:nodes"))}`.replace(" ", "");
    const commonName = `3116301406035504 03130d${encodeHex(encodeUtf8("system:node:a"))}`.replace(" ", "");
    expect(encodeHex(raw)).toBe(`302f${organization}${commonName}`);
  });

  it("are read as Kubernetes reads users and groups", () => {
    const name = parseName(encodeName({ commonName: "jane", organizations: ["ops", "dev"] }));
    expect(name.commonName).toBe("jane");
    expect(name.organizations).toEqual(["dev", "ops"]);
    expect(name.attributes.map(({ oid }) => oid)).toEqual([OID_ORGANIZATION, OID_ORGANIZATION, OID_COMMON_NAME]);
  });

  it("take the last common name for the user, as Go does", () => {
    const sets = ["first", "last"].map((value) => encodeSetOf([attribute(OID_COMMON_NAME, value)]));
    expect(parseName(encodeSequence(sets)).commonName).toBe("last");
  });

  it("may be empty", () => {
    const name = parseName(encodeName({}));
    expect(name.attributes).toEqual([]);
    expect(name.commonName).toBeUndefined();
    expect(name.organizations).toEqual([]);
  });

  it("keep text that PrintableString cannot say", () => {
    const name = parseName(encodeName({ commonName: "nœud_1", organizations: ["a@b"] }));
    expect([name.commonName, ...name.organizations]).toEqual(["nœud_1", "a@b"]);
  });

  const unsorted = [attribute(OID_COMMON_NAME, "b"), attribute(OID_COMMON_NAME, "a")];
  const refused: Readonly<Record<string, Uint8Array>> = {
    "with an empty set": encodeSequence([encodeSetOf([])]),
    "with a set out of order": encodeSequence([encodeTlv(TAG.set, unsorted)]),
    "with an attribute without value": encodeSequence([encodeSetOf([encodeSequence([encodeOid(OID_COMMON_NAME)])])]),
    "with a value that is no string": encodeSequence([
      encodeSetOf([encodeSequence([encodeOid(OID_COMMON_NAME), encodeTlv(TAG.integer, [Uint8Array.of(1)])])]),
    ]),
    "with bytes after the value": encodeSequence([
      encodeSetOf([
        encodeSequence([encodeOid(OID_COMMON_NAME), encodeDirectoryString("a"), encodeDirectoryString("b")]),
      ]),
    ]),
    "with too many attributes": encodeName({ organizations: Array.from({ length: 600 }, (_, i) => `group-${i}`) }),
  };
  for (const [sentence, raw] of Object.entries(refused)) {
    it(`are refused ${sentence}`, () => expect(() => parseName(raw)).toThrow());
  }
});
