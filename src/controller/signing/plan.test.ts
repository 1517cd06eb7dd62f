import { describe, expect, it } from "vitest";
import {
  aCsr,
  approved,
  type CsrModifier,
  withCertificate,
  withCondition,
  withExtension,
  withSan,
  withSigner,
  withSubject,
  wrapped,
} from "../../../test/builders/csr.ts";
import { anAuthority } from "../../../test/builders/csr-authority.ts";
import { createManualClock } from "../../../test/fakes/clock.ts";
import { KUBELET_CLIENT_SIGNER } from "../../api/certificates/index.ts";
import { basicConstraintsExtension } from "../../kernel/x509/index.ts";
import { fixedAuthority } from "./authorities.ts";
import { gatherSigning } from "./gather.ts";
import { planSigning, type SigningPlan } from "./plan.ts";

const options = {
  clock: createManualClock(),
  randomBytes: (count: number) => new Uint8Array(count).fill(1),
  authorities: fixedAuthority(anAuthority()),
  servedSigners: [KUBELET_CLIENT_SIGNER],
  lifetimeMsOf: () => 3_600_000,
};

function planFor(...modifiers: readonly CsrModifier[]): SigningPlan {
  const csr = aCsr(...modifiers);
  return planSigning(gatherSigning(options, csr, options.authorities.of(csr)));
}

const LEFT: Record<string, CsrModifier[]> = {
  "it is not approved": [],
  "it is denied": [approved(), withCondition("Denied")],
  "it has failed": [approved(), withCondition("Failed")],
  "it has its certificate": [approved(), withCertificate("-----BEGIN")],
  "the signer is not served here": [approved(), withSigner("example.com/other")],
};

const FAILED: Record<string, [CsrModifier, RegExp]> = {
  "a group of administrators, whoever approved it": [
    withSubject({ commonName: "system:node:a", organizations: ["system:masters"] }),
    /^subject organization is not system:nodes$/,
  ],
  "alternative names": [withSan({ dnsNames: ["x"] }), /^DNS subjectAltNames are not allowed$/],
  "a CA": [withExtension(basicConstraintsExtension({ ca: true })), /^no-foreign-extensions: /],
  "a second request": [wrapped((pem) => pem + pem), /^request-stands-alone: /],
};

describe("the plan of the signer", () => {
  it("signs an approved request that keeps its rules", () => {
    expect(planFor(approved()).kind).toBe("Sign");
  });

  it.each(Object.entries(LEFT))("leaves a request alone: %s", (why, modifiers) => {
    expect(planFor(...modifiers)).toEqual({ kind: "Leave", why });
  });

  it.each(Object.entries(FAILED))("fails a request for %s", (_, [modifier, message]) => {
    expect(planFor(approved(), modifier)).toMatchObject({ kind: "Fail", message: expect.stringMatching(message) });
  });
});
