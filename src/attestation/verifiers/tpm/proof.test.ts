import { describe, expect, it } from "vitest";
import {
  aBeaconRenewal,
  aMachine,
  aNodeUser,
  anExchange,
  anIdentity,
  CREDENTIAL,
  HELLO_UID,
  NODE,
  NOW_MS,
  PCR_VALUES,
  PCRS,
  PROOF_UID,
  proofFacts,
  SERVING_SIGNER,
  TOKEN,
  tpmHash,
} from "../../../../test/builders/exchange.ts";
import { aSoftTpm } from "../../../../test/builders/soft-tpm.ts";
import { aLeafFor, aRoot } from "../../../../test/builders/x509.ts";
import { encodeHex, parseHex } from "../../../kernel/bytes/index.ts";
import type { Seen, Verdict } from "../../../kernel/outcome/index.ts";
import { publicKeyOf } from "../../../kernel/tpm/index.ts";
import { OID_SUBJECT_ALT_NAME } from "../../../kernel/x509/index.ts";
import { CHALLENGE_ANNOTATION, CONSUMED_BY_ANNOTATION } from "../../evidence/index.ts";
import { clockAlarms } from "../alarms.ts";
import { readEvidence } from "../reading.ts";
import { judgeOwnedTpmProof, judgeTpmBeacon, judgeTpmProof, type OwnedProofFacts, planPins } from "./index.ts";

const present = <T>(value: T): Seen<T> => ({ kind: "Present", value });
const spoken = (verdict: Verdict) => `${verdict.kind} ${verdict.reason}`;

const tpm = aSoftTpm();
const exchange = anExchange({ tpm });
const revoked = { ...anIdentity(tpm), spec: { nodeName: NODE, revoked: true } };

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
    const claims = { intent: "renew", purpose: "serving", signer: SERVING_SIGNER } as const;
    const names = { ipAddresses: ["10.0.0.1"], dnsNames: [NODE] };
    const serving = anExchange({ tpm, claims, names, requester: aNodeUser() });
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

  const challengedAs = (changes: Partial<typeof exchange.hello>) => {
    const facts = proofFacts(exchange);
    if (facts.hello.kind !== "Present") throw new Error("no hello");
    return { ...facts, hello: present({ ...facts.hello.value, object: { ...exchange.challenged, ...changes } }) };
  };
  const other = anExchange({ tpm, claims: { node: "worker-2" } });
  const otherHello = () => {
    const facts = proofFacts(exchange);
    const object = { ...other.challenged, name: exchange.challenged.name, uid: HELLO_UID };
    return {
      ...facts,
      hello: present({ object, reading: readEvidence(object.request, { signerProvider: "tpm", recipients: [] }) }),
    };
  };
  const annotation = exchange.challenged.annotations[CHALLENGE_ANNOTATION] ?? "";

  const refused: Readonly<Record<string, [() => OwnedProofFacts, string]>> = {
    "P2 a hello that is gone": [() => proofFacts(exchange, { hello: { kind: "Absent" } }), "Deny ChallengeUnknown"],
    "P2 a hello that nobody could read": [
      () => proofFacts(exchange, { hello: { kind: "NotRead", why: "the API server is away" } }),
      "Wait HelloNotRead",
    ],
    "P2 a hello of another uid": [() => challengedAs({ uid: PROOF_UID }), "Deny ChallengeUnknown"],
    "P2 a hello on its way out": [() => challengedAs({ isDeleting: true }), "Deny ChallengeUnknown"],
    "P2 a proof in the place of a hello": [
      () => {
        const object = { ...exchange.proof, name: exchange.hello.name, uid: HELLO_UID };
        const reading = readEvidence(object.request, { signerProvider: "tpm", recipients: [] });
        return { ...proofFacts(exchange), hello: present({ object, reading }) };
      },
      "Deny ChallengeUnknown",
    ],
    "P3 another requester": [
      () => challengedAs({ requester: { ...TOKEN, username: "system:bootstrap:ghijkl" } }),
      "Deny RequesterChanged",
    ],
    "P4 another node than in the hello": [otherHello, "Deny HelloMismatch"],
    "P4 another key than in the hello": [
      () => {
        const swapped = anExchange({ tpm });
        const facts = proofFacts(exchange);
        const object = { ...swapped.challenged, name: exchange.challenged.name, uid: HELLO_UID };
        const reading = readEvidence(object.request, { signerProvider: "tpm", recipients: [] });
        return { ...facts, hello: present({ object, reading }) };
      },
      "Deny HelloMismatch",
    ],
    "P5 a hello without challenge": [() => challengedAs({ annotations: {} }), "Deny ChallengeUnknown"],
    "P5 a challenge that is none": [
      () => challengedAs({ annotations: { [CHALLENGE_ANNOTATION]: "{}" } }),
      "Deny ChallengeForged",
    ],
    "P5 a forged challenge": [
      () =>
        challengedAs({ annotations: { [CHALLENGE_ANNOTATION]: annotation.replace(/"exp":\d+/, `"exp":1999999999`) } }),
      "Deny ChallengeForged",
    ],
    "P5 a key that this replica does not know yet": [
      () => proofFacts(exchange, { challengeKeys: [] }),
      "Wait KeyUnavailable",
    ],
    "P5 a key that nobody knows": [
      () => proofFacts(exchange, { challengeKeys: [], nowMs: NOW_MS + 61_000 }),
      "Deny ChallengeUnknown",
    ],
    "P6 a replayed proof": [
      () => challengedAs({ annotations: { [CHALLENGE_ANNOTATION]: annotation, [CONSUMED_BY_ANNOTATION]: HELLO_UID } }),
      "Deny ChallengeConsumed",
    ],
    "P7 an answer that comes late": [() => proofFacts(exchange, { nowMs: NOW_MS + 330_000 }), "Deny ChallengeExpired"],
    "P8 a quote with a tail": [
      () =>
        proofFacts(anExchange({ tpm, alter: (made) => ({ ...made, attest: Uint8Array.from([...made.attest, 0]) }) })),
      "Deny QuoteMalformed",
    ],
    "P9 a quote of another key": [
      () => {
        const forger = aSoftTpm();
        const signature = forger.quote({ extraData: new Uint8Array(32), pcrs: PCRS, values: PCR_VALUES }).signature;
        return proofFacts(anExchange({ tpm, alter: (made) => ({ ...made, signature }) }));
      },
      "Deny QuoteSignatureInvalid",
    ],
    "P9 a signature of another scheme": [
      () => {
        const { signature } = aSoftTpm({ ak: "rsa" }).quote({
          extraData: new Uint8Array(),
          pcrs: PCRS,
          values: PCR_VALUES,
        });
        return proofFacts(anExchange({ tpm, alter: (made) => ({ ...made, signature }) }));
      },
      "Deny QuoteSignatureInvalid",
    ],
    "P10 an attestation key of the owner's hierarchy": [
      () => proofFacts(anExchange({ tpm, quote: { hierarchy: 0x40000001 } })),
      "Deny AttestationKeyUnacceptable",
    ],
    "P10 an attestation key of no hierarchy": [
      () => proofFacts(anExchange({ tpm, quote: { hierarchy: 0x40000007 } })),
      "Deny AttestationKeyUnacceptable",
    ],
    "P11 whoever could not open the credential": [
      () => proofFacts(anExchange({ tpm, secret: new Uint8Array(32) })),
      "Deny ChallengeFailed",
    ],
    "P11 a quote for another request": [
      () => proofFacts(anExchange({ tpm, quote: { extraData: new Uint8Array(32) } })),
      "Deny ChallengeFailed",
    ],
  };
  it.each(Object.entries(refused))("%s", (_, [facts, expected]) => {
    expect(spoken(judgeTpmProof(facts()).verdict)).toBe(expected);
  });

  const owned: Readonly<Record<string, [() => OwnedProofFacts, string]>> = {
    "P13 other registers than those asked for": [
      () => proofFacts(exchange, { demandedPcrs: [0, 1] }),
      "Deny PcrSelectionMismatch",
    ],
    "P13 values that were not signed": [
      () => proofFacts(anExchange({ tpm, quote: { values: [new Uint8Array(32)] } })),
      "Deny PcrDigestMismatch",
    ],
    "P14 a value that the policy does not list": [
      () =>
        proofFacts(exchange, {
          policy: {
            tpm: {
              endorsementKeys: [tpmHash(tpm)],
              pcrs: { rule: "Match", allowed: [{ index: 7, values: ["00".repeat(32)] }] },
            },
          },
        }),
      "Deny PcrPolicyViolation",
    ],
    "P14 another value than at the first exchange": [
      () => {
        const pinned = anIdentity(tpm);
        const pcrs = { bank: "sha256", values: [{ index: 7, value: "00".repeat(32) }] };
        const identity = anIdentity(tpm, { tpm: { ...pinned.status!.tpm!, pcrs } });
        return proofFacts(exchange, { identity: present(identity), policy: { tpm: { pcrs: { rule: "PinFirst" } } } });
      },
      "Deny PcrPolicyViolation",
    ],
    "P15 a clock that went back": [
      () => {
        const pinned = anIdentity(tpm).status!.tpm!;
        return proofFacts(exchange, { identity: present(anIdentity(tpm, { tpm: { ...pinned, resetCount: 3 } })) });
      },
      "Deny TpmClockRegressed",
    ],
    "P16 a Machine that was deleted meanwhile": [
      () => proofFacts(exchange, { machines: present([aMachine({ isDeleting: true })]) }),
      "Deny MachineMismatch",
    ],
    "P16 an identity that was revoked meanwhile": [
      () => proofFacts(exchange, { identity: present(revoked) }),
      "Deny IdentityRevoked",
    ],
    "P16 another machine that was faster": [
      () => proofFacts(exchange, { identity: present(anIdentity(aSoftTpm())) }),
      "Deny EndorsementKeyChanged",
    ],
    "P16 another machine that was faster, and whose TPM has run for longer": [
      () => {
        const faster = anIdentity(aSoftTpm());
        const tpmPins = { ...faster.status!.tpm!, resetCount: 1_000 };
        return proofFacts(exchange, { identity: present({ ...faster, status: { ...faster.status, tpm: tpmPins } }) });
      },
      "Deny EndorsementKeyChanged",
    ],
  };
  it.each(Object.entries(owned))("%s", (_, [facts, expected]) => {
    expect(spoken(judgeOwnedTpmProof(facts()).verdict)).toBe(expected);
  });

  it("keeps a listed register, and a clock that an operator reset", () => {
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

  const refused: Readonly<Record<string, [() => ReturnType<typeof aBeaconRenewal>, string]>> = {
    "an old beacon": [() => aBeaconRenewal(tpm, { epoch: Math.floor(NOW_MS / 300_000) - 3 }), "Deny BeaconExpired"],
    "a beacon of the future": [
      () => aBeaconRenewal(tpm, { epoch: Math.floor(NOW_MS / 300_000) + 2 }),
      "Deny BeaconExpired",
    ],
    "the previous certificate, hours later": [
      () => {
        const of = (sha256: string) => ({ sha256, serialNumber: "1", notAfter: "2027-01-01T00:00:00Z" });
        const current = {
          ...of("aa"),
          purpose: "Client",
          issuedAt: new Date(NOW_MS - 7_200_000).toISOString(),
        } as const;
        const certificates = [{ ...of(CREDENTIAL), purpose: "Client" } as const, current];
        return { ...aBeaconRenewal(tpm), identity: present(anIdentity(tpm, { certificates })) };
      },
      "Deny RenewalNeedsExchange",
    ],
    "a policy without beacons": [() => ({ ...aBeaconRenewal(tpm), policy: {} }), "Deny RenewalNeedsExchange"],
    "a quote for another request": [
      () => aBeaconRenewal(tpm, { quote: { extraData: new Uint8Array(32) } }),
      "Deny ChallengeFailed",
    ],
    "a quote of another TPM": [
      () => ({ ...aBeaconRenewal(aSoftTpm()), keys: aBeaconRenewal(tpm).keys }),
      "Deny QuoteSignatureInvalid",
    ],
    "a clock that stands still": [
      () => aBeaconRenewal(tpm, { quote: { resetCount: 1, clock: 500n } }),
      "Deny TpmClockRegressed",
    ],
    "a Machine that was deleted": [
      () => ({ ...aBeaconRenewal(tpm), machines: present([aMachine({ isDeleting: true })]) }),
      "Deny MachineMismatch",
    ],
  };
  it.each(Object.entries(refused))("refuses %s", (_, [facts, expected]) => {
    expect(spoken(judgeTpmBeacon(facts()).verdict)).toBe(expected);
  });
});
