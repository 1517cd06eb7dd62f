import { describe, expect, it } from "vitest";
import { aLeaf, aRoot } from "../../../test/builders/x509.ts";
import { parseHex } from "../bytes/index.ts";
import { directoryNamesOf, OID_SUBJECT_ALT_NAME, subjectAltNameExtension } from "./index.ts";

/** A critical list of one directory name: tpmManufacturer id:1014, as makers write it. */
const TCG_NAMES = "3018a416301431123010060567810502010c0769643a31303134";

describe("directoryNamesOf", () => {
  it("reads what a TPM's maker says of it", () => {
    const names = { oid: OID_SUBJECT_ALT_NAME, critical: true, value: parseHex(TCG_NAMES) };
    const [name] = directoryNamesOf(aLeaf(aRoot(), { extensions: [names] }).certificate);
    expect(name?.attributes).toEqual([{ oid: "2.23.133.2.1", value: "id:1014" }]);
  });

  it("finds none among other names, and none without any", () => {
    const names = subjectAltNameExtension({ dnsNames: ["a"] });
    expect(directoryNamesOf(aLeaf(aRoot(), { extensions: [names] }).certificate)).toEqual([]);
    expect(directoryNamesOf(aLeaf(aRoot()).certificate)).toEqual([]);
  });
});
