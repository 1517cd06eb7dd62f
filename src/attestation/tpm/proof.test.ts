import { describe, expect, it } from "vitest";
import {
  aBeaconRenewal,
  aNodeUser,
  anExchange,
  anIdentity,
  NODE,
  NOW_MS,
  PCR_VALUES,
  PROOF_UID,
  proofFacts,
  SERVING_SIGNER,
  tpmHash,
} from "../../../test/builders/exchange.ts";
import { present } from "../../../test/builders/refusals/hello.ts";
import {
  annotation,
  BEACON_REFUSALS,
  challengedAs,
  exchange,
  OWNED_REFUSALS,
  PROOF_REFUSALS,
  tpm,
} from "../../../test/builders/refusals/proof.ts";
import { aSoftTpm } from "../../../test/builders/soft-tpm.ts";
import { aLeafFor, aRoot } from "../../../test/builders/x509.ts";
import { encodeHex, parseHex } from "../../kernel/bytes/index.ts";
import type { Verdict } from "../../kernel/outcome/index.ts";
import { publicKeyOf } from "../../kernel/tpm/index.ts";
import { OID_SUBJECT_ALT_NAME } from "../../kernel/x509/index.ts";
import { CHALLENGE_ANNOTATION, CONSUMED_BY_ANNOTATION } from "../evidence/index.ts";
import { judgeOwnedTpmProof, judgeTpmBeacon, judgeTpmProof, type OwnedProofFacts } from "./judge.ts";
import { planPins } from "./pins.ts";
import { clockAlarms } from "./rules/quote.ts";

const spoken = (verdict: Verdict) => `${verdict.kind} ${verdict.reason}`;

describe("a proof", () => {
  it("of the challenged TPM may use the challenge up, is approved and pinned", () => {
    for (const ak of ["ecc", "rsa"] as const) {
      const facts = proofFacts(anExchange({ tpm: aSoftTpm({ ak }) }));
      expect(spoken(judgeTpmProof(facts).verdict)).toBe("Allow ChallengeAnswered");
      expect(spoken(judgeOwnedTpmProof(facts).verdict)).toBe("Allow Attested");
      const pins = planPins(facts);
      expect(pins).toMatchObject({ phase: "Active", provider: "tpm", protocolFloor: "tpm/1", machine: { name: NODE } });
      expect(pins.tpm?.ek.trust).toBe("Listed");
      expect(pins.tpm?.pcrs?.values[1]).toEqual({ index: 1, value: "01".repeat(32) });
    }
  });

  it("for a serving certificate names its addresses in what is signed", () => {
    const statement = { intent: "renew", purpose: "serving", signer: SERVING_SIGNER } as const;
    const names = { ipAddresses: ["10.0.0.1"], dnsNames: [NODE] };
    const serving = anExchange({ tpm, statement, names, requester: aNodeUser() });
    const facts = proofFacts(serving, { identity: present(anIdentity(tpm)) });
    expect(spoken(judgeTpmProof(facts).verdict)).toBe("Allow ChallengeAnswered");
    expect(spoken(judgeOwnedTpmProof(facts).verdict)).toBe("Allow Attested");
    const owned = (ownNames: OwnedProofFacts["ownNames"]) => spoken(judgeOwnedTpmProof({ ...facts, ownNames }).verdict);
    expect(owned(present([NODE]))).toBe("Deny SanNotAllowed");
    expect(owned(present(["10.0.0.1"]))).toBe("Deny SanNotAllowed");
    expect(owned(present([]))).toBe("Wait MachineAddressesMissing");
    expect(owned({ kind: "NotRead", why: "the cache is not complete" })).toBe("Wait MachineAddressesMissing");
    const beside = (foreignNames: OwnedProofFacts["foreignNames"]) =>
      spoken(judgeOwnedTpmProof({ ...facts, foreignNames }).verdict);
    expect(beside(present(new Map([["10.0.0.1", "node worker-2"]])))).toBe("Deny SanNotAllowed");
    expect(beside(present(new Map([["10.0.0.2", "node worker-2"]])))).toBe("Allow Attested");
    expect(beside({ kind: "NotRead", why: "the cache is not complete" })).toBe("Wait MachineAddressesMissing");
  });

  it.each(Object.entries(PROOF_REFUSALS))("%s", (_, [facts, expected]) => {
    expect(spoken(judgeTpmProof(facts()).verdict)).toBe(expected);
  });

  it.each(Object.entries(OWNED_REFUSALS))("%s", (_, [facts, expected]) => {
    expect(spoken(judgeOwnedTpmProof(facts()).verdict)).toBe(expected);
  });

  it("keeps a listed PCR, and a clock that an operator reset", () => {
    const allowed = [{ index: 7, values: [encodeHex(PCR_VALUES[2]!)] }];
    const policy = { tpm: { endorsementKeys: [tpmHash(tpm)], pcrs: { rule: "Match", allowed } } } as const;
    expect(spoken(judgeOwnedTpmProof(proofFacts(exchange, { policy })).verdict)).toBe("Allow Attested");
    const pinned = anIdentity(tpm).status!.tpm!;
    const until = new Date(NOW_MS + 1_000).toISOString();
    const identity = {
      ...anIdentity(tpm, { tpm: { ...pinned, resetCount: 9 } }),
      spec: { nodeName: NODE, reset: { until, clock: true } },
    };
    expect(spoken(judgeOwnedTpmProof(proofFacts(exchange, { identity: present(identity) })).verdict)).toBe(
      "Allow Attested",
    );
  });

  it("is not late once it owns the challenge", () => {
    const consumed = { annotations: { [CHALLENGE_ANNOTATION]: annotation, [CONSUMED_BY_ANNOTATION]: PROOF_UID } };
    const facts = { ...challengedAs(consumed), nowMs: NOW_MS + 900_000 };
    expect(spoken(judgeTpmProof(facts).verdict)).toBe("Allow ChallengeAnswered");
  });
});

describe("the pins", () => {
  const value = parseHex("3018a416301431123010060567810502010c0769643a31303134");
  const names = { oid: OID_SUBJECT_ALT_NAME, critical: true, value };
  const certificate = aLeafFor(aRoot(), publicKeyOf(tpm.ek).spki, { extensions: [names] });
  const withChain = (facts: OwnedProofFacts): OwnedProofFacts => {
    if (!facts.keys.endorsementKey.ok) throw new Error("no key");
    const key = { ...facts.keys.endorsementKey.value, chain: [certificate] };
    return { ...facts, keys: { ...facts.keys, endorsementKey: { ok: true, value: key } } };
  };

  it("have the TPM's maker from its certificate, and keep it", () => {
    expect(planPins(withChain(proofFacts(exchange))).tpm?.manufacturer).toBe("id:1014");
    expect(planPins(proofFacts(exchange)).tpm).not.toHaveProperty("manufacturer");
    const pinned = anIdentity(tpm).status?.tpm;
    if (pinned === undefined) throw new Error("no pins");
    const identity = present(anIdentity(tpm, { tpm: { ...pinned, manufacturer: "id:1014" } }));
    expect(planPins(proofFacts(exchange, { identity })).tpm?.manufacturer).toBe("id:1014");
  });
});

describe("a clock that went back where the policy only warns", () => {
  it("is let pass, and an alarm", () => {
    const pinned = anIdentity(tpm).status?.tpm;
    if (pinned === undefined) throw new Error("no pins");
    const policy = { tpm: { endorsementKeys: [tpmHash(tpm)], clockRegression: "Warn" } } as const;
    const identity = (resetCount: number) => present(anIdentity(tpm, { tpm: { ...pinned, resetCount } }));
    const regressed = proofFacts(exchange, { policy, identity: identity(3) });
    expect(spoken(judgeOwnedTpmProof(regressed).verdict)).toBe("Allow Attested");
    expect(clockAlarms(regressed)).toMatchObject([{ reason: "TpmClockRegressed" }]);
    expect(clockAlarms(proofFacts(exchange, { policy, identity: identity(0) }))).toEqual([]);
  });
});

describe("a renewal by beacon", () => {
  it("is attested with the pinned keys", () => {
    expect(spoken(judgeTpmBeacon(aBeaconRenewal(tpm)).verdict)).toBe("Allow Attested");
  });

  it.each(Object.entries(BEACON_REFUSALS))("refuses %s", (_, [facts, expected]) => {
    expect(spoken(judgeTpmBeacon(facts()).verdict)).toBe(expected);
  });
});
