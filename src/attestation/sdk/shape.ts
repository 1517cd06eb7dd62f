// Values from an installed package, checked before they are used: every member of the contract, its type and range. A
// package for another version of the contract is told which version this program speaks.

import type {
  Answer,
  ContractVersion,
  EndorsementKeySource,
  MachineView,
  NodeProvider,
  LIMITS as SDK_LIMITS,
  Verifier,
} from "@countersign/sdk";
import { Fault } from "../../kernel/outcome/index.ts";
import { isProviderName } from "../evidence/index.ts";

const CONTRACT: ContractVersion = 1;
/** The product runs without the SDK's code: its limits stand here once more, under their own type. */
const LIMITS: Pick<typeof SDK_LIMITS, Held> = {
  takenNames: ["insecure", "null", "tpm"],
  maxVersion: 999,
  maxProofAgeMs: 900_000,
  maxGatherMs: 10_000,
  word: "^[A-Z][A-Za-z0-9]{2,62}$",
  maxPins: 16,
  pinName: "^[a-zA-Z][\\w.-]{0,62}$",
  maxPinCharacters: 512,
  maxWaitMs: 3_600_000,
};
/** Those of names, provider IDs and evidence are the wire's (evidence/), and key-source.ts has its own. */
type Held = Exclude<keyof typeof SDK_LIMITS, `maxEvidence${string}` | "name" | "providerId" | "maxAskMs">;

export const TAKEN_NAMES: readonly string[] = LIMITS.takenNames;
const { maxVersion: MAX_VERSION, maxProofAgeMs: MAX_PROOF_AGE_MS, maxGatherMs: MAX_GATHER_MS } = LIMITS;

type Members = Readonly<Record<string, unknown>>;
/** A member, what it must be in words, and whether it is. */
type Demand = readonly [name: string, words: string, holds: (value: unknown, all: Members) => boolean];

const isFunction = (value: unknown) => typeof value === "function";
const isOptionalFunction = (value: unknown) => value === undefined || typeof value === "function";
const isFlag = (value: unknown) => typeof value === "boolean";
const isText = (value: unknown) => typeof value === "string" && value !== "";
const isWithin = (value: unknown, most: number) => typeof value === "number" && value > 0 && value <= most;

const isVersionList = (value: unknown) =>
  Array.isArray(value) &&
  value.length > 0 &&
  new Set(value).size === value.length &&
  value.every((one) => Number.isInteger(one) && isWithin(one, MAX_VERSION));

const BOTH_ENDS: readonly Demand[] = [
  ["name", "must be a provider name, and not one of the product's own", isFreeName],
  ["versions", `must list numbers from 1 to ${MAX_VERSION}, each once`, isVersionList],
  ["freshness", "must be challenge or time-limited", (value) => value === "challenge" || value === "time-limited"],
];

const PROVIDER: readonly Demand[] = [
  ...BOTH_ENDS,
  ["canRenew", "must be true or false", isFlag],
  ["canServe", "must be true or false", isFlag],
  ["providerId", "must be a function", isFunction],
  ["hello", "must be a function where it is there", isOptionalFunction],
  ["attest", "must be a function", isFunction],
];

const VERIFIER: readonly Demand[] = [
  ...BOTH_ENDS,
  ["maxProofAgeMs", "must be above 0 and at most fifteen minutes, where freshness is time-limited", isProofAge],
  ["gatherLimitMs", "must be above 0 and at most ten seconds", (value) => isWithin(value, MAX_GATHER_MS)],
  ["gather", "must be a function", isFunction],
  ["verifyClient", "must be a function", isFunction],
  ["verifyServing", "must be a function", isFunction],
  ["machineName", "must be a function where it is there", isOptionalFunction],
];

const SOURCE: readonly Demand[] = [
  ["name", "must be a text", isText],
  ["endorsementKeyOf", "must be a function", isFunction],
];

export function checkProvider(value: unknown, where: string): NodeProvider {
  return checkMembers<NodeProvider>(checkContract(value, where), PROVIDER, where);
}

export function checkVerifier(value: unknown, where: string): Verifier {
  return checkMembers<Verifier>(checkContract(value, where), VERIFIER, where);
}

export function checkEndorsementKeySource(value: unknown, where: string): EndorsementKeySource {
  return checkMembers<EndorsementKeySource>(membersOf(value, where), SOURCE, where);
}

function isFreeName(value: unknown): boolean {
  return typeof value === "string" && isProviderName(value) && !TAKEN_NAMES.includes(value);
}

function isProofAge(value: unknown, { freshness }: Members): boolean {
  return freshness === "challenge"
    ? value === undefined || isWithin(value, MAX_PROOF_AGE_MS)
    : isWithin(value, MAX_PROOF_AGE_MS);
}

function checkContract(value: unknown, where: string): Members {
  const members = membersOf(value, where);
  const version = members["contractVersion"];
  if (version === CONTRACT) return members;
  const seen = typeof version === "number" ? `contract ${version}` : "no contract version";
  throw new Fault("unsupported", `${where} is written for ${seen}; this program speaks contract ${CONTRACT}`);
}

function membersOf(value: unknown, where: string): Members {
  if (typeof value === "object" && value !== null) return value as Members;
  throw new Fault("bad-config", `${where} returned ${value === null ? "null" : typeof value}, expected an object`);
}

/** The members were looked at one by one: what remains of the type is the contract's promise. */
function checkMembers<T>(members: Members, demands: readonly Demand[], where: string): T {
  const problem = demands.find(([name, , holds]) => !holds(members[name], members));
  if (problem !== undefined) throw new Fault("bad-config", `${where}: ${problem[0]} ${problem[1]}`);
  return members as T;
}

const REASON = new RegExp(LIMITS.word);
const PIN_NAME = new RegExp(LIMITS.pinName);
const MAX_MESSAGE_CHARACTERS = 1_024;

/**
 * An answer becomes conditions, Events and an identity's pins, so it is as bounded as they are; undefined: it is none.
 */
export function readAnswer(value: unknown): Answer | undefined {
  if (typeof value !== "object" || value === null) return undefined;
  const { kind, level, pins, reason, message, retryAfterMs } = value as Members;
  if (kind === "Attested") return isWord(level) && arePins(pins) ? { kind, level, pins } : undefined;
  if (!isWord(reason) || typeof message !== "string") return undefined;
  const said = { reason, message: message.slice(0, MAX_MESSAGE_CHARACTERS) };
  if (kind === "Refused") return { kind, ...said };
  if (kind !== "Waiting" || typeof retryAfterMs !== "number" || !isWithin(retryAfterMs, LIMITS.maxWaitMs))
    return undefined;
  return { kind, ...said, retryAfterMs };
}

function isWord(value: unknown): value is string {
  return typeof value === "string" && REASON.test(value);
}

function arePins(value: unknown): value is Readonly<Record<string, string>> {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return false;
  const entries = Object.entries(value);
  return (
    entries.length > 0 &&
    entries.length <= LIMITS.maxPins &&
    entries.every(([key, pin]) => PIN_NAME.test(key) && isPinText(pin))
  );
}

function isPinText(value: unknown): boolean {
  return typeof value === "string" && value.length <= LIMITS.maxPinCharacters && /^[\x20-\x7e]+$/.test(value);
}

/** No more of a Machine than the contract names, whatever the controller knows of it. */
export function viewOf(machine: MachineView): MachineView {
  const { namespace, name, uid, providerId, createdMs, addresses } = machine;
  return { namespace, name, uid, providerId, createdMs, addresses };
}
