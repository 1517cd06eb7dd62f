// What an exchange pins: "What is written" in docs/protocols/attestation.md. Endorsement key, provider and provider ID
// stay as they were; counters, PCRs and the attestation key are those of this exchange.

import type { EkTrustLevel, NodeIdentityStatus, TpmState } from "../../api/countersign/index.ts";
import { encodeBase64, encodeHex } from "../../kernel/bytes/index.ts";
import { sha256 } from "../../kernel/crypto/index.ts";
import { assert } from "../../kernel/outcome/index.ts";
import { nameOf, parseQuote, type Quote } from "../../kernel/tpm/index.ts";
import { directoryNamesOf } from "../../kernel/x509/index.ts";
import type { TpmProof } from "../evidence/index.ts";
import { attempt, commonPins, pinsOf } from "../rules/index.ts";
import type { EndorsementKey } from "./facts.ts";
import type { PcrDemandFacts } from "./rules/pcrs.ts";
import { judgeTrust } from "./trust.ts";

/** The pins after an exchange that every rule passed; exchanges and certificates are the actor's to add. */
export function planPins(facts: PcrDemandFacts): NodeIdentityStatus {
  const { envelope } = facts.reading;
  assert(envelope.ok && envelope.value.parsed.body.kind === "tpm-proof", "pins are planned after every rule passed");
  return {
    ...commonPins(facts),
    tpm: planTpm(facts, envelope.value.parsed.body),
    attestedAt: new Date(facts.nowMs).toISOString(),
  };
}

function planTpm(facts: PcrDemandFacts, proof: TpmProof): TpmState {
  const { endorsementKey, attestationKey } = facts.keys;
  assert(endorsementKey.ok && attestationKey.ok, "pins are planned after every rule passed");
  const quote = parseQuote(proof.attest);
  const ak = attestationKey.value;
  const manufacturer = manufacturerOf(endorsementKey.value) ?? pinsOf(facts.identity)?.tpm?.manufacturer;
  return {
    ...(manufacturer === undefined ? {} : { manufacturer }),
    ek: planEndorsementKey(facts, endorsementKey.value),
    ak: { name: encodeHex(nameOf(ak)), public: encodeBase64(ak.raw) },
    ...countersOf(quote),
    pcrs: {
      bank: "sha256",
      values: facts.demandedPcrs.map((index, at) => ({ index, value: encodeHex(proof.pcrs[at] ?? new Uint8Array()) })),
    },
  };
}

const OID_TPM_MANUFACTURER = "2.23.133.2.1";
/** As the schema of NodeIdentity has it; makers write `id:` and eight hex digits. */
const MANUFACTURER_MAX_CHARACTERS = 64;

/** From the EK certificate, where there is one that says so. */
function manufacturerOf({ chain: [certificate] }: EndorsementKey): string | undefined {
  if (certificate === undefined) return undefined;
  const names = attempt("EndorsementKeyMalformed", () => directoryNamesOf(certificate));
  const attributes = names.ok ? names.value.flatMap((name) => name.attributes) : [];
  return attributes.find(({ oid }) => oid === OID_TPM_MANUFACTURER)?.value.slice(0, MANUFACTURER_MAX_CHARACTERS);
}

function countersOf({ firmwareVersion, resetCount, restartCount, clock }: Quote) {
  return { firmware: firmwareVersion.toString(16), resetCount, restartCount, clock: clock.toString() };
}

function planEndorsementKey(facts: PcrDemandFacts, key: EndorsementKey): TpmState["ek"] {
  const pinned = pinsOf(facts.identity)?.tpm?.ek;
  if (pinned?.spkiSha256 === key.hash) return pinned;
  const trust = judgeTrust(key, facts);
  const level: EkTrustLevel | undefined = trust.kind === "Trusted" ? trust.level : undefined;
  assert(level !== undefined, "an endorsement key that nobody trusts is not pinned");
  const [certificate] = key.chain;
  return {
    spkiSha256: key.hash,
    public: encodeBase64(key.area.raw),
    ...(certificate === undefined ? {} : { certificateSha256: encodeHex(sha256(certificate.raw)) }),
    trust: level,
  };
}
