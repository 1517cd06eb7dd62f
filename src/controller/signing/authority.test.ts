import { describe, expect, it } from "vitest";
import { anAuthority } from "../../../test/builders/csr-authority.ts";
import { isFault } from "../../kernel/outcome/index.ts";
import { type AuthorityPems, createAuthority } from "./authority.ts";

const good = anAuthority();

const REFUSED: Record<string, AuthorityPems> = {
  "the key of another CA": { certPem: good.certPem, keyPem: anAuthority().keyPem },
  "two certificates": { ...good, certPem: good.certPem + anAuthority().certPem },
  "no certificate": { ...good, certPem: "" },
  "a key in the certificate's file": { ...good, certPem: good.keyPem },
  "a certificate that is no CA": anAuthority({ ca: false }),
};

describe("the authority", () => {
  it.each(["P-256", "P-384", "RSA-2048", "Ed25519"] as const)("is made of a %s CA and its key", (kind) => {
    expect(createAuthority(anAuthority({ kind })).certificate.subject.commonName).toBe("kubernetes");
  });

  it.each(Object.entries(REFUSED))("is not made of %s", (_, pems) => {
    let failure: unknown;
    try {
      createAuthority(pems);
    } catch (error) {
      failure = error;
    }
    expect(isFault(failure, "bad-config")).toBe(true);
  });
});
