import { describe, expect, it } from "vitest";
import { aCsr, type CsrModifier, withExtension, withSan, withSigner } from "../../../../../test/builders/csr.ts";
import { factsOf } from "../../../../../test/builders/csr-facts.ts";
import { INSECURE_CLIENT_SIGNER, KUBELET_SERVING_SIGNER } from "../../../../api/certificates/index.ts";
import { encodeUtf8 } from "../../../../kernel/bytes/index.ts";
import {
  basicConstraintsExtension,
  EKU_CLIENT_AUTH,
  EKU_SERVER_AUTH,
  extKeyUsageExtension,
  keyUsageExtension,
} from "../../../../kernel/x509/index.ts";
import { PROVIDER_ID_EXTENSION } from "../../provider-id.ts";
import { noForeignExtensions } from "./no-foreign-extensions.ts";

const providerId = withExtension({
  oid: PROVIDER_ID_EXTENSION,
  critical: false,
  value: encodeUtf8("\x0c\x16aws:///eu-1a/i-01234ab"),
});
const nobodyParses = withExtension({
  oid: "2.5.29.17",
  critical: false,
  value: Uint8Array.of(0x30, 0x05, 0x88, 0x03, 0x2a, 0x03, 0x04),
});

const ALLOWED: Record<string, CsrModifier[]> = {
  "a kubelet's request": [],
  "what openssl adds for a client": [
    withExtension(basicConstraintsExtension({ ca: false })),
    withExtension(keyUsageExtension(["digitalSignature", "keyEncipherment"])),
    withExtension(extKeyUsageExtension([EKU_CLIENT_AUTH])),
  ],
  "what a serving request asks for": [
    withSigner(KUBELET_SERVING_SIGNER),
    withSan({ dnsNames: ["worker-3"] }),
    withExtension(extKeyUsageExtension([EKU_SERVER_AUTH])),
  ],
  "a provider ID under our own signer": [withSigner(INSECURE_CLIENT_SIGNER), providerId],
};

const REFUSED: Record<string, [CsrModifier, string]> = {
  "a name of a kind that nobody parses": [nobodyParses, "ForeignExtensionRequested"],
  "a CA": [withExtension(basicConstraintsExtension({ ca: true })), "ForeignExtensionRequested"],
  "the right to sign certificates": [
    withExtension(keyUsageExtension(["digitalSignature", "keyCertSign"])),
    "ForeignExtensionRequested",
  ],
  "a server under a client's signer": [
    withExtension(extKeyUsageExtension([EKU_SERVER_AUTH])),
    "ForeignExtensionRequested",
  ],
  "an extension that nobody knows": [
    withExtension({ oid: "1.2.3.4", critical: false, value: Uint8Array.of(5, 0) }),
    "ForeignExtensionRequested",
  ],
  "a provider ID under a built-in signer": [providerId, "ForeignExtensionRequested"],
};

describe("no-foreign-extensions", () => {
  it.each(Object.entries(ALLOWED))("passes %s", (_, modifiers) => {
    expect(noForeignExtensions.judge(factsOf(aCsr(...modifiers)))).toEqual({ kind: "Pass" });
  });

  it.each(Object.entries(REFUSED))("refuses %s", (_, [modifier, reason]) => {
    expect(noForeignExtensions.judge(factsOf(aCsr(modifier)))).toMatchObject({ kind: "Deny", reason });
  });
});
