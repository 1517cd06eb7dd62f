// The lines of the audit trail as a chain: each carries the digest of the one before it and its own, so that a changed,
// missing or moved line shows. Pure. A line is one JSON object whose last member is `hash`, the SHA-256 of the text of
// the line without that member: to check it, no canonical form of JSON is needed.

import { encodeHex, encodeUtf8 } from "../../kernel/bytes/index.ts";
import { sha256 } from "../../kernel/crypto/index.ts";
import { Fault } from "../../kernel/outcome/index.ts";

/** What stands in `previous` of a chain's first line. */
export const CHAIN_START = "0".repeat(64);

/** A verdict with its trail is some kilobytes. */
const LINE_MAX_CHARACTERS = 262_144;

export interface ChainHead {
  readonly chain: string;
  /** Of the last line; the first one has 0. */
  readonly seq: number;
  readonly hash: string;
}

interface Entry {
  readonly time: string;
  /** What happened: `chain started`, `verdict`, `certificate issued`, `policy changed`, `revoked`, … */
  readonly event: string;
  /** The replica. */
  readonly by: string;
  readonly fields: Readonly<Record<string, unknown>>;
}

export interface AuditLine extends ChainHead, Entry {
  readonly previous: string;
}

interface Link {
  readonly line: string;
  readonly head: ChainHead;
}

export function encodeLink(before: ChainHead, { time, event, by, fields }: Entry): Link {
  const seq = before.seq + 1;
  const text = JSON.stringify({ chain: before.chain, seq, time, event, by, fields, previous: before.hash });
  const hash = digest(text);
  return { line: `${text.slice(0, -1)},"hash":"${hash}"}`, head: { chain: before.chain, seq, hash } };
}

/** The head before a chain's first line. */
export function emptyChain(chain: string): ChainHead {
  return { chain, seq: -1, hash: CHAIN_START };
}

const HASH_MEMBER = /,"hash":"([0-9a-f]{64})"\}$/;

/** Undefined for a line that is none of an audit trail; Fault `malformed` for one whose digest is not its own. */
export function parseLine(line: string): AuditLine | undefined {
  const found = line.length > LINE_MAX_CHARACTERS ? null : HASH_MEMBER.exec(line);
  const hash = found?.[1];
  if (found === null || hash === undefined) return undefined;
  const value = parseJson(line);
  if (!isAuditLine(value)) return undefined;
  if (digest(`${line.slice(0, found.index)}}`) !== hash) {
    throw new Fault("malformed", `line ${value.seq} of chain ${value.chain} was changed: its digest is another`);
  }
  return value;
}

function parseJson(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined; // somebody else's line
  }
}

function isAuditLine(value: unknown): value is AuditLine {
  if (typeof value !== "object" || value === null) return false;
  const { chain, seq, time, event, by, previous, fields } = value as Record<string, unknown>;
  const areTexts = [chain, time, event, by, previous].every((field) => typeof field === "string");
  return areTexts && Number.isSafeInteger(seq) && typeof fields === "object" && fields !== null;
}

function digest(text: string): string {
  return encodeHex(sha256(encodeUtf8(text)));
}
