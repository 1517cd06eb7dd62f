// Every reason of the attestation protocol, in its order: each is given by a rule here, or by a live API server in the
// matrix of attacks, and explained to operators. And the other way round: no rule of attestation says a word that is
// not in this table.

import { readdir, readFile } from "node:fs/promises";
import { describe, expect, it } from "vitest";
import { KUBELET_SERVING_SIGNER } from "../../src/api/certificates/index.ts";
import { judgeInsecure } from "../../src/attestation/insecure/judge.ts";
import { credentialAlarms } from "../../src/attestation/rules/index.ts";
import { INSTALLED_SINGLE_RULES } from "../../src/attestation/sdk/judge.ts";
import {
  judgeOwnedTpmProof,
  judgeTpmBeacon,
  judgeTpmHello,
  judgeTpmProof,
  TPM_OWNED_RULES,
} from "../../src/attestation/tpm/judge.ts";
import { providerIdMismatch } from "../../src/controller/identities/provider-ids.ts";
import { createCustody } from "../../src/controller/judging/unproven.ts";
import type { Judgement } from "../../src/kernel/outcome/index.ts";
import { aCsr, forNode, withSigner } from "../builders/csr.ts";
import { aMachine, aNodeUser, anIdentity, NODE, NOW_MS, proofFacts } from "../builders/exchange.ts";
import { exchange, HELLO_REFUSALS, hello, late, present, tpm } from "../builders/refusals/hello.ts";
import { INSECURE_REFUSALS, facts as insecureFacts } from "../builders/refusals/insecure.ts";
import { BEACON_REFUSALS, OWNED_REFUSALS, PROOF_REFUSALS } from "../builders/refusals/proof.ts";
import { aSoftTpm } from "../builders/soft-tpm.ts";
import { ATTACK_TOKENS } from "./attestation-attacks/index.ts";

const ROOT = new URL("../../", import.meta.url);
const GUIDE = "docs/guides/attestation.md";

/**
 * Who gives it. A `deny` and a `wait` are reasons of conditions and annotations; `alarm` and `status` are told
 * otherwise.
 */
const REASONS = {
  deny: `
    MetadataNotAllowed RequestTooLarge EnvelopeMalformed ProviderUnknown ProviderNotAuthorized VersionUnsupported EnvelopeUnreadable
    EnvelopeNotSealed NameNotBound RequestMalformed EnvelopeMismatch ClusterMismatch Downgrade RequesterNotAllowed CredentialUnknown
    CredentialRevoked CredentialSuperseded IdentityRevoked ProviderChanged ProviderIdChanged EndorsementKeyChanged
    EndorsementKeyMalformed AttestationKeyUnacceptable EndorsementKeyUntrusted EndorsementKeyConflict EndorsementKeyInUse
    EndorsementKeyDenied NodeNotEnrolled MachineMismatch BootstrapTokenForOtherMachine NodeNameTaken AnnotationForged
    ChallengeUnknown RequesterChanged HelloMismatch ChallengeForged ChallengeConsumed ChallengeExpired QuoteMalformed
    QuoteSignatureInvalid ChallengeFailed PcrSelectionMismatch PcrDigestMismatch PcrPolicyViolation TpmClockRegressed
    IdentityConflict ApprovalWithoutAttestation BeaconExpired RenewalNeedsExchange SanNotAllowed EvidenceRequired FirstUseSpent
    ProviderCannotRenew ProviderCannotServe`,
  wait: `
    EndorserUnavailable MachineNotReady MachineAddressesMissing Throttled KeyUnavailable AttestationStale JoinRateExceeded`,
  /** Ours: what the rules ask about was not read yet, and as approval without evidence says it. */
  ours: "IdentityNotRead NodeNotRead HelloNotRead TokenNotRead JoiningWindowIsOver ServingIsLeftToPeople NameIsDisputed",
  allow: "Attested Unattested",
  alarm: "ProviderIdMismatch PreviousCredentialUsed",
} as const;

/** Reasons that no rule gives: the file whose test expects exactly this word. */
const ELSEWHERE: Readonly<Record<string, string>> = {
  WaitedTooLong: "test/contract/attestation-duties.test.ts",
  GuardMissing: "src/controller/identities/guard.test.ts",
  LockdownMissing: "src/controller/policy/policy.test.ts",
  // Of the machine's side.
  ChallengeUnexpected: "src/attestation/sdk/node.test.ts",
  ActivationFailed: "src/attestation/exchange/run.test.ts",
  CertificateUnexpected: "src/node/certificates/attested/attested.test.ts",
  NoCommonVersion: "src/node/certificates/attested/attested.test.ts",
  // Of providers by instance document.
  InstanceMismatch: "examples/instance-identity/src",
  DocumentInvalid: "examples/instance-identity/src",
  ProofExpired: "examples/instance-identity/src",
};

/** Words of rules that are no refusal: nothing is written for them. */
const SILENT = words("SignerNotServed AlreadyDecided BeingDeleted AlreadyChallenged ChallengeOver");

function words(text: string): readonly string[] {
  return text.split(/\s+/).filter((word) => word !== "");
}

type Refusals<Facts> = Readonly<Record<string, readonly [facts: () => Facts, expected: string]>>;

const saidOf = <Facts>(refusals: Refusals<Facts>, judge: (facts: Facts) => Judgement) =>
  Object.values(refusals).map(([facts]) => judge(facts()).verdict.reason);

/** What becomes of the requests that the rules' own tests spoil, one by one; judged here again. */
const SAID_BY_RULES: ReadonlySet<string> = new Set([
  ...saidOf(HELLO_REFUSALS, judgeTpmHello),
  ...saidOf(PROOF_REFUSALS, judgeTpmProof),
  ...saidOf(OWNED_REFUSALS, judgeOwnedTpmProof),
  ...saidOf(BEACON_REFUSALS, judgeTpmBeacon),
  ...saidOf(INSECURE_REFUSALS, judgeInsecure),
]);

/** Of one rule alone, where those before it in the chain would speak first, or where there is no chain. */
const SAID_ALONE: Readonly<Record<string, () => unknown>> = {
  IdentityConflict: () => {
    const rule = TPM_OWNED_RULES.find(({ id }) => id === "identity-is-free-to-pin");
    const finding = rule?.judge(proofFacts(exchange, { identity: present(anIdentity(aSoftTpm())) }));
    return finding?.kind === "Deny" ? finding.reason : finding;
  },
  JoiningWindowIsOver: () => {
    const rule = INSTALLED_SINGLE_RULES.find(({ id }) => id === "machine-is-young");
    const finding = rule?.judge(hello(exchange, { machines: present([aMachine({ createdMs: 0 })]) }));
    return finding?.kind === "Deny" ? finding.reason : finding;
  },
  AttestationStale: async () => {
    const identity = anIdentity(tpm, { attestedAt: new Date(NOW_MS - 3_600_001).toISOString() });
    const find = () => present(identity);
    const custody = createCustody({ identities: { find, hasSynced: () => true }, nowMs: () => NOW_MS });
    const csr = aCsr(forNode(NODE), withSigner(KUBELET_SERVING_SIGNER));
    const { extra = {} } = aNodeUser();
    const asked = { ...csr, spec: { ...csr.spec, extra } } as typeof csr;
    const policy = { serving: { maxAttestationAgeSeconds: 3_600 } } as never;
    const seen = await custody(asked, { nodeName: NODE, policy }, AbortSignal.timeout(1_000));
    return seen.kind === "Present" && seen.value.kind === "Wait" ? seen.value.reason : seen;
  },
  Attested: () => judgeOwnedTpmProof(proofFacts(exchange)).verdict.reason,
  Unattested: () => judgeInsecure(insecureFacts()).verdict.reason,
  PreviousCredentialUsed: () => credentialAlarms(late())[0]?.reason,
  ProviderIdMismatch: () => {
    const spec = { providerID: "test:///another" };
    const node = { apiVersion: "v1", kind: "Node", metadata: { name: NODE }, spec };
    return providerIdMismatch(anIdentity(tpm), node) === undefined ? undefined : "ProviderIdMismatch";
  },
};

const TABLE = Object.values(REASONS).flatMap(words);
const ALL = [...TABLE, ...Object.keys(ELSEWHERE)];

async function textsUnder(path: string, isWanted: (path: string) => boolean): Promise<readonly string[]> {
  if (path.endsWith(".ts")) return [await readFile(new URL(path, ROOT), "utf8")];
  const entries = await readdir(new URL(`${path}/`, ROOT), { recursive: true, withFileTypes: true });
  const paths = entries
    .filter((entry) => entry.isFile() && !entry.parentPath.includes("node_modules"))
    .map((entry) => `${entry.parentPath}/${entry.name}`)
    .filter((file) => file.endsWith(".ts") && isWanted(file));
  return await Promise.all(paths.map((file) => readFile(file, "utf8")));
}

const isTest = (path: string) => path.endsWith(".test.ts");

describe("the reasons of attestation", async () => {
  const guide = await readFile(new URL(GUIDE, ROOT), "utf8");

  it.each(TABLE)("%s is what a rule says, or how an attack on a live API server ends", async (word) => {
    const alone = SAID_ALONE[word];
    if (alone !== undefined) expect(await alone()).toBe(word);
    else expect([...SAID_BY_RULES, ...ATTACK_TOKENS]).toContain(word);
  });

  it.each(Object.entries(ELSEWHERE))("%s is expected, in this word, by a test of %s", async (word, path) => {
    const texts = await textsUnder(path, isTest);
    expect(texts.some((text) => new RegExp(`["'\`/ ]${word}\\b`).test(text))).toBe(true);
  });

  it.each(ALL)("%s is explained in the guide", (word) => expect(guide).toContain(`\`${word}\``));

  it("are all the words that the rules of attestation have", async () => {
    const rules = await textsUnder("src/attestation", (path) => !isTest(path));
    const written = rules.flatMap((text) =>
      [...text.matchAll(/\b(?:refuse|notYet|notMine)\(\s*"([A-Za-z]+)"/g)].map(([, word]) => word ?? ""),
    );
    expect(written.length).toBeGreaterThan(60);
    const said = new Set([...written, ...SAID_BY_RULES]);
    expect([...said].filter((word) => !ALL.includes(word) && !SILENT.includes(word))).toEqual([]);
  });
});
