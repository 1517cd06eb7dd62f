// The controller's end, offline but for the pinned keys: the document identifies the instance, the token proves that
// this instance made this request some minutes ago, and both name the same instance.
//
// Settings: `keysFile`, the platform's keys by id; `accounts` and `regions`, the allowed ones.
import { readFile } from "node:fs/promises";
import {
  type Answer,
  bytesOf,
  exactly,
  type JsonObject,
  listSetting,
  MAX_PROOF_AGE_MS,
  type Question,
  textSetting,
  type Verifier,
} from "@countersign/sdk";
import { type InstanceDocument, type PlatformKeys, parsePlatformKeys, providerIdOf, readDocument } from "./document.ts";
import { audienceOf, readToken } from "./token.ts";

const GATHER_LIMIT_MS = 2_000;
/** Between the platform's clock and the controller's. */
const CLOCK_TOLERANCE_MS = 30_000;

interface Allowed {
  readonly accounts: readonly string[];
  readonly regions: readonly string[];
}

export function createVerifier(settings: JsonObject): Verifier<PlatformKeys> {
  const keysFile = textSetting(settings, "keysFile");
  const allowed = { accounts: listSetting(settings, "accounts"), regions: listSetting(settings, "regions") };
  const judge = (question: Question, keys: PlatformKeys) => judgeInstance(question, keys, allowed);
  return {
    name: "instance-identity",
    contractVersion: 1,
    versions: [1],
    freshness: "time-limited",
    maxProofAgeMs: MAX_PROOF_AGE_MS,
    gatherLimitMs: GATHER_LIMIT_MS,
    gather: async (_, { signal }) => parsePlatformKeys(await readFile(keysFile, { encoding: "utf8", signal })),
    verifyClient: judge,
    verifyServing: (question, keys) => judgeNames(question) ?? judge(question, keys),
  };
}

function judgeInstance(question: Question, keys: PlatformKeys, allowed: Allowed): Answer {
  const read = readEvidence(question);
  if (read === undefined) return refused("EvidenceMalformed", "evidence must be a document, its signature and a proof");
  const document = readDocument(read.document, read.signature, keys);
  if (document === undefined) return refused("DocumentInvalid", "no key of the platform signed this instance document");
  return (
    judgePlace(document, question, allowed) ??
    judgeProof(read.token, document, { question, keys }) ??
    judgeHistory(document, question) ?? { kind: "Attested", level: "Instance", pins: pinsOf(document) }
  );
}

function judgePlace(
  document: InstanceDocument,
  { request }: Question,
  { accounts, regions }: Allowed,
): Answer | undefined {
  if (!accounts.includes(document.accountId)) return refused("AccountNotAllowed", "the instance is of another account");
  if (!regions.includes(document.region)) return refused("RegionNotAllowed", "the instance is in another region");
  if (request.providerId !== providerIdOf(document))
    return refused("InstanceMismatch", "the document is of another instance than the provider ID");
  return undefined;
}

function judgeProof(
  text: string,
  document: InstanceDocument,
  { question, keys }: { readonly question: Question; readonly keys: PlatformKeys },
): Answer | undefined {
  const { nowMs, request } = question;
  const token = readToken(text, keys);
  if (token === undefined) return refused("ProofInvalid", "no key of the platform signed this token");
  if (token.instanceId !== document.instanceId)
    return refused("InstanceMismatch", "token and document are of two instances");
  if (token.audience !== audienceOf(request.digest))
    return refused("ProofForAnother", "the token is for another request");
  if (token.expiresMs - token.issuedMs > MAX_PROOF_AGE_MS) return refused("ProofTooLong", "the token lives too long");
  if (nowMs < token.issuedMs - CLOCK_TOLERANCE_MS) return refused("ProofNotYetValid", "the token is from the future");
  if (nowMs > token.expiresMs + CLOCK_TOLERANCE_MS) return refused("ProofExpired", "the token is over");
  return undefined;
}

/**
 * How long after its Machine an instance may join is set by the JoinPolicy, and the controller checks it for all
 * providers.
 */
function judgeHistory(document: InstanceDocument, { pins }: Question): Answer | undefined {
  const now = pinsOf(document);
  const differs = Object.entries(now).some(([name, value]) => pins !== undefined && pins[name] !== value);
  return differs ? refused("IdentityConflict", "the node was another instance before") : undefined;
}

function judgeNames({ names, machine }: Question): Answer | undefined {
  const own = machine?.addresses.map(({ address }) => address) ?? [];
  const foreign = names.find((name) => !own.includes(name));
  return foreign === undefined ? undefined : refused("SanNotAllowed", `the Machine does not have the name ${foreign}`);
}

function pinsOf({ accountId, instanceId, region }: InstanceDocument): Readonly<Record<string, string>> {
  return { accountId, instanceId, region };
}

function readEvidence({ evidence }: Question) {
  const { document, signature, proof } = exactly(evidence, ["document", "signature", "proof"]) ?? {};
  const [documentBytes, signatureBytes] = [bytesOf(document), bytesOf(signature)];
  const { token } = exactly(proof, ["token"]) ?? {};
  if (documentBytes === undefined || signatureBytes === undefined || typeof token !== "string") return undefined;
  return { document: documentBytes, signature: signatureBytes, token };
}

function refused(reason: string, message: string): Answer {
  return { kind: "Refused", reason, message };
}
