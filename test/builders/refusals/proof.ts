// Proofs and renewals by beacon of a TPM, each spoiled in one place, and what the rules say of it: kind and reason. For
// the tests of the rules, and for the list of all reasons that there are.

import { CHALLENGE_ANNOTATION, CONSUMED_BY_ANNOTATION } from "../../../src/attestation/evidence/index.ts";
import { readEvidence } from "../../../src/attestation/rules/index.ts";
import type { BeaconFacts, OwnedProofFacts } from "../../../src/attestation/tpm/judge.ts";
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
} from "../exchange.ts";
import { aSoftTpm } from "../soft-tpm.ts";
import { present } from "./hello.ts";

export const tpm = aSoftTpm();
export const exchange = anExchange({ tpm });
const revoked = { ...anIdentity(tpm), spec: { nodeName: NODE, revoked: true } };

export const challengedAs = (changes: Partial<typeof exchange.hello>) => {
  const facts = proofFacts(exchange);
  if (facts.hello.kind !== "Present") throw new Error("no hello");
  return { ...facts, hello: present({ ...facts.hello.value, object: { ...exchange.challenged, ...changes } }) };
};
const other = anExchange({ tpm, statement: { node: "worker-2" } });
const otherHello = () => {
  const facts = proofFacts(exchange);
  const object = { ...other.challenged, name: exchange.challenged.name, uid: HELLO_UID };
  return {
    ...facts,
    hello: present({ object, reading: readEvidence(object.request, { signerProvider: "tpm", recipients: [] }) }),
  };
};
export const annotation = exchange.challenged.annotations[CHALLENGE_ANNOTATION] ?? "";

export const PROOF_REFUSALS: Readonly<Record<string, [() => OwnedProofFacts, string]>> = {
  "a hello that is gone": [() => proofFacts(exchange, { hello: { kind: "Absent" } }), "Deny ChallengeUnknown"],
  "a hello that nobody could read": [
    () => proofFacts(exchange, { hello: { kind: "NotRead", why: "the API server is away" } }),
    "Wait HelloNotRead",
  ],
  "a hello of another uid": [() => challengedAs({ uid: PROOF_UID }), "Deny ChallengeUnknown"],
  "a hello on its way out": [() => challengedAs({ isDeleting: true }), "Deny ChallengeUnknown"],
  "a proof in the place of a hello": [
    () => {
      const object = { ...exchange.proof, name: exchange.hello.name, uid: HELLO_UID };
      const reading = readEvidence(object.request, { signerProvider: "tpm", recipients: [] });
      return { ...proofFacts(exchange), hello: present({ object, reading }) };
    },
    "Deny ChallengeUnknown",
  ],
  "another requester": [
    () => challengedAs({ requester: { ...TOKEN, username: "system:bootstrap:ghijkl" } }),
    "Deny RequesterChanged",
  ],
  "another node than in the hello": [otherHello, "Deny HelloMismatch"],
  "another key than in the hello": [
    () => {
      const swapped = anExchange({ tpm });
      const facts = proofFacts(exchange);
      const object = { ...swapped.challenged, name: exchange.challenged.name, uid: HELLO_UID };
      const reading = readEvidence(object.request, { signerProvider: "tpm", recipients: [] });
      return { ...facts, hello: present({ object, reading }) };
    },
    "Deny HelloMismatch",
  ],
  "a hello without challenge": [() => challengedAs({ annotations: {} }), "Deny ChallengeUnknown"],
  "a challenge that is none": [
    () => challengedAs({ annotations: { [CHALLENGE_ANNOTATION]: "{}" } }),
    "Deny ChallengeForged",
  ],
  "a forged challenge": [
    () =>
      challengedAs({ annotations: { [CHALLENGE_ANNOTATION]: annotation.replace(/"exp":\d+/, `"exp":1999999999`) } }),
    "Deny ChallengeForged",
  ],
  "a key that this replica does not know yet": [
    () => proofFacts(exchange, { challengeKeys: [] }),
    "Wait KeyUnavailable",
  ],
  "a key that nobody knows": [
    () => proofFacts(exchange, { challengeKeys: [], nowMs: NOW_MS + 61_000 }),
    "Deny ChallengeUnknown",
  ],
  "a replayed proof": [
    () => challengedAs({ annotations: { [CHALLENGE_ANNOTATION]: annotation, [CONSUMED_BY_ANNOTATION]: HELLO_UID } }),
    "Deny ChallengeConsumed",
  ],
  "an answer that comes late": [() => proofFacts(exchange, { nowMs: NOW_MS + 330_000 }), "Deny ChallengeExpired"],
  "a quote with a tail": [
    () => proofFacts(anExchange({ tpm, alter: (made) => ({ ...made, attest: Uint8Array.from([...made.attest, 0]) }) })),
    "Deny QuoteMalformed",
  ],
  "a quote of another key": [
    () => {
      const forger = aSoftTpm();
      const signature = forger.quote({ extraData: new Uint8Array(32), pcrs: PCRS, values: PCR_VALUES }).signature;
      return proofFacts(anExchange({ tpm, alter: (made) => ({ ...made, signature }) }));
    },
    "Deny QuoteSignatureInvalid",
  ],
  "a signature of another scheme": [
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
  "an attestation key of the owner's hierarchy": [
    () => proofFacts(anExchange({ tpm, quote: { hierarchy: 0x40000001 } })),
    "Deny AttestationKeyUnacceptable",
  ],
  "an attestation key of no hierarchy": [
    () => proofFacts(anExchange({ tpm, quote: { hierarchy: 0x40000007 } })),
    "Deny AttestationKeyUnacceptable",
  ],
  "whoever could not open the credential": [
    () => proofFacts(anExchange({ tpm, secret: new Uint8Array(32) })),
    "Deny ChallengeFailed",
  ],
  "a quote for another request": [
    () => proofFacts(anExchange({ tpm, quote: { extraData: new Uint8Array(32) } })),
    "Deny ChallengeFailed",
  ],
};

/** After the challenge was used up. */
export const OWNED_REFUSALS: Readonly<Record<string, [() => OwnedProofFacts, string]>> = {
  "other registers than those asked for": [
    () => proofFacts(exchange, { demandedPcrs: [0, 1] }),
    "Deny PcrSelectionMismatch",
  ],
  "values that were not signed": [
    () => proofFacts(anExchange({ tpm, quote: { values: [new Uint8Array(32)] } })),
    "Deny PcrDigestMismatch",
  ],
  "a value that the policy does not list": [
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
  "another value than at the first exchange": [
    () => {
      const pinned = anIdentity(tpm);
      const pcrs = { bank: "sha256", values: [{ index: 7, value: "00".repeat(32) }] };
      const identity = anIdentity(tpm, { tpm: { ...pinned.status!.tpm!, pcrs } });
      return proofFacts(exchange, { identity: present(identity), policy: { tpm: { pcrs: { rule: "PinFirst" } } } });
    },
    "Deny PcrPolicyViolation",
  ],
  "a clock that went back": [
    () => {
      const pinned = anIdentity(tpm).status!.tpm!;
      return proofFacts(exchange, { identity: present(anIdentity(tpm, { tpm: { ...pinned, resetCount: 3 } })) });
    },
    "Deny TpmClockRegressed",
  ],
  "an address that nobody but a neighbour's status claims": [
    () => {
      const statement = { intent: "renew", purpose: "serving", signer: SERVING_SIGNER } as const;
      const names = { ipAddresses: ["10.0.0.9"] };
      return proofFacts(anExchange({ tpm, statement, names, requester: aNodeUser() }), {
        identity: present(anIdentity(tpm)),
        node: present({ uid: "n" }),
        ownNames: present(["10.0.0.9"]),
        disputedNames: new Map([["10.0.0.9", "liar"]]),
      });
    },
    "Wait NameIsDisputed",
  ],
  "a Machine that was deleted meanwhile": [
    () => proofFacts(exchange, { machines: present([aMachine({ isDeleting: true })]) }),
    "Deny MachineMismatch",
  ],
  "an identity that was revoked meanwhile": [
    () => proofFacts(exchange, { identity: present(revoked) }),
    "Deny IdentityRevoked",
  ],
  "another machine that was faster": [
    () => proofFacts(exchange, { identity: present(anIdentity(aSoftTpm())) }),
    "Deny EndorsementKeyChanged",
  ],
  "another machine that was faster, and whose TPM has run for longer": [
    () => {
      const faster = anIdentity(aSoftTpm());
      const tpmPins = { ...faster.status!.tpm!, resetCount: 1_000 };
      return proofFacts(exchange, { identity: present({ ...faster, status: { ...faster.status, tpm: tpmPins } }) });
    },
    "Deny EndorsementKeyChanged",
  ],
};

export const BEACON_REFUSALS: Readonly<Record<string, [() => BeaconFacts, string]>> = {
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
