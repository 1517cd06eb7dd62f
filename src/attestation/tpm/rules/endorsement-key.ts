// Rules about the endorsement key: pinned, well-formed, trusted.

import { encodeHex, equalBytes } from "../../../kernel/bytes/index.ts";
import { type Finding, notYet, pass, type Rule, refuse } from "../../../kernel/outcome/index.ts";
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
} from "../../../kernel/tpm/index.ts";
import { openReset, pinsOf, RETRY_UNREAD_MS, withReading } from "../../rules/index.ts";
import { describeHolders, type EndorsementFacts, type EndorsementKey, KEY_IN_USE } from "../facts.ts";
import { judgeTrust } from "../trust.ts";

export const endorsementKeyIsPinned: Rule<EndorsementFacts> = {
  id: "endorsement-key-is-pinned",
  sentence: "the endorsement key is the one of the node's first exchange",
  judge: ({ keys, identity, nowMs }) =>
    withReading(keys.endorsementKey, ({ hash }) => {
      const pinned = pinsOf(identity)?.tpm?.ek.spkiSha256;
      if (pinned === hash) return pass();
      const reset = identity.kind === "Present" ? openReset(identity.value, nowMs) : undefined;
      // Before the pins: one that was retired, or that another provider attested, has none, and is opened for that TPM
      // all the same.
      if ((reset?.ekSpkiSha256 ?? hash) !== hash)
        return refuse("EndorsementKeyChanged", "an operator opened the node for another TPM");
      if (pinned === undefined) return pass();
      return reset === undefined
        ? refuse("EndorsementKeyChanged", "the machine has another TPM than at its first exchange")
        : pass("opened by an operator");
    }),
};

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

const RETRY_ENDORSER_MS = 10_000;
export const endorsementKeyIsTrusted: Rule<EndorsementFacts> = {
  id: "endorsement-key-is-trusted",
  sentence: "the endorsement key is pinned, bound, listed or allowed at first use, and bears one live identity",
  judge: (facts) =>
    withReading(facts.keys.endorsementKey, (key) => {
      const answer = judgeTrust(key, facts);
      switch (answer.kind) {
        case "Trusted":
          return judgeHolders(facts, `${answer.level}: ${answer.note}`);
        case "Refused":
          return refuse(answer.reason, answer.message);
        case "Waiting":
          return notYet(answer.reason, answer.message, RETRY_ENDORSER_MS);
        case "Silent":
          return refuse(
            "EndorsementKeyUntrusted",
            `nobody vouches for the endorsement key: ${answer.why ?? "unknown"}`,
          );
      }
    }),
};

function judgeHolders({ otherHolders }: EndorsementFacts, note: string): Finding {
  if (otherHolders.kind === "NotRead") return notYet("IdentityNotRead", otherHolders.why, RETRY_UNREAD_MS);
  if (otherHolders.kind === "Absent" || otherHolders.value.length === 0) return pass(note);
  return refuse(KEY_IN_USE, `the TPM is that of ${describeHolders(otherHolders.value)}`);
}
