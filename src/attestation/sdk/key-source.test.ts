import type { EndorsementKeySource, MachineView } from "@countersign/sdk";
import { describe, expect, it } from "vitest";
import { anAuthority } from "../../../test/builders/csr-authority.ts";
import { encodeHex } from "../../kernel/bytes/index.ts";
import { sha256 } from "../../kernel/crypto/index.ts";
import { encodePem, parsePem } from "../../kernel/pem/index.ts";
import { parseCertificate } from "../../kernel/x509/index.ts";
import { createSdkKeySource } from "./key-source.ts";

const machine: MachineView = {
  ...{ namespace: "fleet", name: "m", uid: "u", providerId: "x:///1", createdMs: 0, addresses: [] },
};
const never = new AbortController().signal;
const { certPem } = anAuthority();
const { spki } = parseCertificate(parsePem(certPem)[0]?.bytes ?? new Uint8Array()).publicKey;
const digest = encodeHex(sha256(spki));

function ask(answer: () => unknown, signal: AbortSignal = never) {
  const source = { name: "vcenter", endorsementKeyOf: async () => answer() } as EndorsementKeySource;
  return createSdkKeySource(source).keyOf(machine, signal);
}

describe("what a platform says of a machine's TPM", () => {
  it.each<[string, string]>([
    ["a digest", `sha256:${digest}`],
    ["a key", encodePem("PUBLIC KEY", spki)],
    ["a certificate", certPem],
  ])("may be %s", async (_, answer) => {
    expect(await ask(() => answer)).toEqual({ kind: "Present", value: digest });
  });

  it("may be that it has none", async () => {
    expect(await ask(() => undefined)).toEqual({ kind: "Absent" });
  });

  it.each<[string, () => unknown]>([
    ["another digest", () => "sha1:00"],
    ["upper case", () => `sha256:${digest.toUpperCase()}`],
    ["a private thing", () => encodePem("EC PRIVATE KEY", spki)],
    ["a certificate that is none", () => encodePem("CERTIFICATE", spki)],
    ["no text", () => 7],
    [
      "an exception",
      () => {
        throw new TypeError("no route to the inventory");
      },
    ],
  ])("is waited for when it is %s: nobody is let in on weaker proof", async (_, answer) => {
    expect(await ask(answer)).toMatchObject({ kind: "NotRead", why: expect.stringContaining("vcenter") });
  });

  it("is not waited for beyond its time, though it minds no signal", async () => {
    const seen = await ask(() => new Promise(() => undefined), AbortSignal.timeout(10));
    expect(seen).toMatchObject({ kind: "NotRead", why: expect.stringContaining("did not answer in time") });
  });
});
