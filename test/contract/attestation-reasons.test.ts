// Every reason of the attestation protocol, in its order: each is given by the product, met by a test, and explained to operators. And
// the other way round: no rule of attestation says a word that is not in this table.

import { readdir, readFile } from "node:fs/promises";
import { describe, expect, it } from "vitest";

const ROOT = new URL("../../", import.meta.url);
const GUIDE = "docs/guides/attestation.md";

/** Who gives it. A `deny` and a `wait` are reasons of conditions and annotations; `alarm` and `status` are told otherwise. */
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
    ProviderCannotRenew ProviderCannotServe WaitedTooLong`,
  wait: `
    EndorserUnavailable MachineNotReady MachineAddressesMissing Throttled KeyUnavailable AttestationStale JoinRateExceeded`,
  /** Ours: what the rules ask about was not read yet. */
  "wait, ours": "IdentityNotRead NodeNotRead HelloNotRead TokenNotRead",
  /** Ours: as approval without evidence says it. */
  "deny, ours": "JoiningWindowIsOver",
  alarm: "ProviderIdMismatch PreviousCredentialUsed GuardMissing",
  status: "LockdownMissing",
  allow: "Attested Unattested",
  /** Of the machine's side. */
  node: "ChallengeUnexpected ActivationFailed CertificateUnexpected NoCommonVersion",
  /** Of providers by instance document. */
  provider: "InstanceMismatch DocumentInvalid ProofExpired",
} as const;

const words = (text: string) => text.split(/\s+/).filter((word) => word !== "");
const ALL = Object.values(REASONS).flatMap(words);
/** Words of rules that are no refusal: nothing is written for them. */
const SILENT = words(
  "SignerNotServed AlreadyDecided BeingDeleted AlreadyChallenged ChallengeOver MayBeChallenged ChallengeAnswered MayBeVerified",
);

async function textsUnder(folder: string, isWanted: (path: string) => boolean): Promise<readonly string[]> {
  const entries = await readdir(new URL(`${folder}/`, ROOT), { recursive: true, withFileTypes: true });
  const paths = entries
    .filter((entry) => entry.isFile() && !entry.parentPath.includes("node_modules"))
    .map((entry) => `${entry.parentPath}/${entry.name}`)
    .filter((path) => path.endsWith(".ts") && isWanted(path));
  return await Promise.all(paths.map((path) => readFile(path, "utf8")));
}

const isTest = (path: string) => path.endsWith(".test.ts");

describe("the reasons of attestation", async () => {
  const product = (
    await Promise.all(["src", "sdk", "examples"].map((folder) => textsUnder(folder, (path) => !isTest(path))))
  ).flat();
  const tests = [
    ...(await textsUnder("test", (path) => !path.includes("attestation-reasons"))),
    ...(await Promise.all(["src", "sdk", "examples"].map((folder) => textsUnder(folder, isTest)))).flat(),
  ];
  const guide = await readFile(new URL(GUIDE, ROOT), "utf8");
  const isSaid = (texts: readonly string[], word: string) =>
    texts.some((text) => new RegExp(`["'\` ]${word}\\b`).test(text));

  it.each(ALL)("%s is given by the product", (word) => expect(isSaid(product, word)).toBe(true));
  it.each(ALL)("%s is met by a test", (word) => expect(isSaid(tests, word)).toBe(true));
  it.each(ALL)("%s is explained in the guide", (word) => expect(guide).toContain(`\`${word}\``));

  it("are all the words that the rules of attestation have", async () => {
    const rules = await textsUnder("src/attestation/verifiers", (path) => !isTest(path));
    const said = rules.flatMap((text) =>
      [...text.matchAll(/\b(?:refuse|notYet|notMine)\(\s*"([A-Za-z]+)"/g)].map(([, word]) => word ?? ""),
    );
    expect(said.length).toBeGreaterThan(60);
    expect([...new Set(said)].filter((word) => !ALL.includes(word) && !SILENT.includes(word))).toEqual([]);
  });
});
