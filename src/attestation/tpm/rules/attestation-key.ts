// Rules about the attestation key.

import { equalBytes } from "../../../kernel/bytes/index.ts";
import { pass, type Rule, refuse } from "../../../kernel/outcome/index.ts";
import {
  AK_ATTRIBUTES,
  AK_TEMPLATES,
  ATTRIBUTE,
  HANDLE,
  type PublicArea,
  qualifiedNameOfPrimary,
} from "../../../kernel/tpm/index.ts";
import { withReading } from "../../rules/index.ts";
import type { EndorsementFacts } from "../facts.ts";
import { withQuote } from "./quote.ts";

/**
 * Exactly the keys of our template: a restricted signing key signs nothing but what its TPM made itself, and with its
 * empty policy it can be activated only with its private part.
 */
export const attestationKeyIsRestricted: Rule<EndorsementFacts> = {
  id: "attestation-key-is-restricted",
  sentence: "the attestation key is a restricted signing key of our template, fixed to its TPM, with an empty policy",
  judge: ({ keys }) =>
    withReading(keys.attestationKey, (area) => {
      const problem = findProblem(area);
      return problem === undefined ? pass(area.type) : refuse("AttestationKeyUnacceptable", problem);
    }),
};

function findProblem(area: PublicArea): string | undefined {
  if ((area.attributes & ~ATTRIBUTE.noDa) !== AK_ATTRIBUTES)
    return "the attestation key must be fixed, made in its TPM, restricted, and sign but not decrypt";
  if (area.authPolicy.length !== 0) return "the attestation key must have an empty policy";
  const expected = AK_TEMPLATES[area.type];
  const isSameScheme =
    area.nameAlgorithm === expected.nameAlgorithm &&
    area.symmetric === undefined &&
    area.scheme?.algorithm === expected.scheme?.algorithm &&
    area.scheme?.hash === expected.scheme?.hash;
  return isSameScheme && isSameSize(area)
    ? undefined
    : "the attestation key must be ECDSA on P-256 or RSASSA of 2048 bits, both with SHA-256";
}

function isSameSize(area: PublicArea): boolean {
  const { ecc, rsa } = AK_TEMPLATES;
  if (area.type === "ecc") return ecc.type === "ecc" && area.curveId === ecc.curveId && area.kdf === undefined;
  return rsa.type === "rsa" && area.keyBits === rsa.keyBits && (area.exponent === 0 || area.exponent === 65537);
}

/**
 * The quote names its signer with the hierarchy above it. In the endorsement hierarchy a TPM reports its counters
 * unobfuscated, and no other key of the machine passes for this one.
 */
export const attestationKeyIsAnEndorsementPrimary: Rule<EndorsementFacts> = {
  id: "attestation-key-is-an-endorsement-primary",
  sentence: "the attestation key is a primary key of the endorsement hierarchy",
  judge: withQuote((quote, _, { facts }) =>
    withReading(facts.keys.attestationKey, (key) =>
      equalBytes(quote.qualifiedSigner, qualifiedNameOfPrimary(key, HANDLE.endorsement))
        ? pass()
        : refuse("AttestationKeyUnacceptable", "the attestation key is no primary key of the endorsement hierarchy"),
    ),
  ),
};
