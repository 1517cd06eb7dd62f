// H14. A decrypting, restricted key that lives and dies in its TPM, under a policy of the TCG's profile; and the certificate, where
// there is one, is for this key.
import { encodeHex, equalBytes } from "../../../../kernel/bytes/index.ts";
import { pass, type Rule, refuse } from "../../../../kernel/outcome/index.ts";
import {
  ALGORITHM,
  ATTRIBUTE,
  CURVE_ID,
  hasAttributes,
  POLICY_A_SHA256,
  POLICY_B_SHA256,
  POLICY_B_SHA384,
  type PublicArea,
  publicKeyOf,
} from "../../../../kernel/tpm/index.ts";
import { withReading } from "../../with-evidence.ts";
import type { EndorsementFacts, EndorsementKey } from "../facts.ts";

const RSA_BITS: readonly number[] = [2048, 3072, 4096];
const CURVES: readonly number[] = [CURVE_ID.p256, CURVE_ID.p384];
const NAME_HASHES: readonly number[] = [ALGORITHM.sha256, ALGORITHM.sha384];
const POLICIES: ReadonlySet<string> = new Set([POLICY_A_SHA256, POLICY_B_SHA256, POLICY_B_SHA384].map(encodeHex));
const REQUIRED =
  ATTRIBUTE.fixedTpm | ATTRIBUTE.fixedParent | ATTRIBUTE.sensitiveDataOrigin | ATTRIBUTE.restricted | ATTRIBUTE.decrypt;

export const endorsementKeyIsWellFormed: Rule<EndorsementFacts> = {
  id: "endorsement-key-is-well-formed",
  sentence: "the endorsement key has a shape of the TCG's profile, and its certificate is for it",
  judge: ({ keys }) =>
    withReading(keys.endorsementKey, (key) => {
      const problem = shapeProblem(key.area) ?? certificateProblem(key);
      return problem === undefined ? pass() : refuse("EndorsementKeyMalformed", problem);
    }),
};

function shapeProblem(area: PublicArea): string | undefined {
  const isKnownSize = area.type === "rsa" ? RSA_BITS.includes(area.keyBits) : CURVES.includes(area.curveId);
  if (!isKnownSize) return "the endorsement key must be RSA of 2048, 3072 or 4096 bits or on P-256 or P-384";
  if (!NAME_HASHES.includes(area.nameAlgorithm)) return "the endorsement key must be named by SHA-256 or SHA-384";
  if (!hasAttributes(area, REQUIRED) || hasAttributes(area, ATTRIBUTE.sign))
    return "the endorsement key must be fixed, made in its TPM, restricted, and decrypt but not sign";
  const { symmetric } = area;
  if (symmetric?.algorithm !== ALGORITHM.aes || symmetric.mode !== ALGORITHM.cfb)
    return "the endorsement key must protect with AES in CFB mode";
  return POLICIES.has(encodeHex(area.authPolicy))
    ? undefined
    : "the endorsement key must have a policy of the TCG's profile";
}

function certificateProblem({ area, chain }: EndorsementKey): string | undefined {
  const [certificate] = chain;
  if (certificate === undefined || equalBytes(certificate.publicKey.spki, publicKeyOf(area).spki)) return undefined;
  return "the EK certificate is for another key than the endorsement key";
}
