// Keys that are known to hold for the life of a certificate, and that every client of the cluster can verify.
// differs from upstream: kube-controller-manager signs whatever key Go can parse, RSA-1024 included.

import type { PublicKey } from "../../../../kernel/x509/index.ts";
import type { RequestFacts } from "../../facts.ts";
import { pass, type Rule, refuse, UNREADABLE_REASONS, withRequest } from "../rule.ts";

/** NIST SP 800-131A: less than 2048 bits of RSA is no longer allowed for signatures. */
const RSA_MIN_BITS = 2048;

export const keyIsStrongEnough: Rule<RequestFacts> = {
  id: "key-is-strong-enough",
  sentence: "the key is P-256, P-384, P-521, Ed25519, or RSA of at least 2048 bits",
  reasons: [...UNREADABLE_REASONS, "KeyIsTooWeak"],
  isStricter: true,
  judge: withRequest(({ publicKey }) => {
    const text = describe(publicKey);
    return isStrong(publicKey)
      ? pass(text)
      : refuse("KeyIsTooWeak", `the key is ${text}, expected P-256 or larger, Ed25519, or RSA of ${RSA_MIN_BITS} bits`);
  }),
};

function isStrong(key: PublicKey): boolean {
  switch (key.algorithm) {
    case "RSA":
      return (key.bits ?? 0) >= RSA_MIN_BITS;
    case "EC":
      return key.curve !== undefined;
    case "Ed25519":
      return true;
  }
}

function describe(key: PublicKey): string {
  switch (key.algorithm) {
    case "RSA":
      return `RSA of ${key.bits ?? 0} bits`;
    case "EC":
      return key.curve ?? "an unknown curve";
    case "Ed25519":
      return "Ed25519";
  }
}
