// Lines and anchors → what can be said of each chain: whole, or what is wrong with it. Pure.

import { isFault } from "../../kernel/outcome/index.ts";
import { type AuditLine, CHAIN_START, type ChainHead, parseLine } from "./chain.ts";

interface ChainReport {
  readonly chain: string;
  readonly lines: number;
  readonly lastSeq: number;
  /** The replica that wrote it. */
  readonly by: string;
  /** Sentences; empty when it is whole. */
  readonly problems: readonly string[];
  /** True when the cluster vouches for its last known head. */
  readonly anchored: boolean;
}

export interface CheckResult {
  readonly chains: readonly ChainReport[];
  /** Lines that are none of an audit trail. */
  readonly ignored: number;
}

interface Seen {
  readonly heads: Map<number, string>;
  readonly first: AuditLine;
  last: AuditLine;
  lines: number;
  readonly problems: string[];
}

/** `anchors`: the heads that the cluster keeps; undefined when they were not read. */
export function checkTrail(lines: Iterable<string>, anchors: readonly ChainHead[] | undefined): CheckResult {
  const chains = new Map<string, Seen>();
  const changed: ChainReport[] = [];
  let ignored = 0;
  for (const text of lines) {
    const line = readLine(text);
    if (line === undefined) ignored += text.trim() === "" ? 0 : 1;
    else if ("problems" in line) changed.push(line);
    else take(chains, line);
  }
  for (const { chain, problems } of changed) chains.get(chain)?.problems.push(...problems);
  const known = [...(anchors ?? []), ...handOvers(chains)];
  const absent = known.filter(({ chain }) => !chains.has(chain)).map(absentReport);
  const strays = changed.filter(({ chain }) => !chains.has(chain));
  const present = [...chains].map(([chain, seen]) =>
    report(chain, seen, { known, isAsked: (anchors ?? []).length > 0 }),
  );
  return { chains: [...present, ...unique([...strays, ...absent])], ignored };
}

/** A line whose digest is not its own is the problem of the chain that it names, also where no other line names it. */
function readLine(text: string): AuditLine | ChainReport | undefined {
  try {
    return parseLine(text);
  } catch (error) {
    if (!isFault(error, "malformed")) throw error;
    const { chain, by } = JSON.parse(text) as AuditLine;
    return { chain, lines: 0, lastSeq: -1, by, problems: [error.message], anchored: false };
  }
}

function take(chains: Map<string, Seen>, line: AuditLine): void {
  const seen = chains.get(line.chain);
  if (seen === undefined) {
    const problems =
      line.seq === 0 && line.previous === CHAIN_START
        ? []
        : [`it begins with line ${line.seq}: the beginning is missing`];
    const heads = new Map([[line.seq, line.hash]]);
    chains.set(line.chain, { heads, first: line, last: line, lines: 1, problems });
    return;
  }
  if (line.seq !== seen.last.seq + 1) {
    seen.problems.push(`line ${line.seq} follows line ${seen.last.seq}: lines are missing or out of order`);
  } else if (line.previous !== seen.last.hash) {
    seen.problems.push(`line ${line.seq} does not follow from line ${seen.last.seq}: one of them was replaced`);
  }
  seen.heads.set(line.seq, line.hash);
  seen.last = line;
  seen.lines++;
}

/** The first line of a chain names the heads that its replica found: a leader's word about its predecessors. */
function handOvers(chains: ReadonlyMap<string, Seen>): ChainHead[] {
  return [...chains.values()].flatMap(({ first }) => {
    const heads = first.seq === 0 ? first.fields["heads"] : undefined;
    return Array.isArray(heads) ? heads.filter(isHead) : [];
  });
}

export function isHead(value: unknown): value is ChainHead {
  const { chain, seq, hash } = (value ?? {}) as Record<string, unknown>;
  return typeof chain === "string" && Number.isSafeInteger(seq) && typeof hash === "string";
}

interface Vouched {
  readonly known: readonly ChainHead[];
  /** Whether the cluster keeps heads at all: one that keeps none vouches for nothing. */
  readonly isAsked: boolean;
}

const UNKNOWN = "the cluster does not know it, nor does a chain that it knows: forged, or not five seconds old";

function report(chain: string, seen: Seen, { known, isAsked }: Vouched): ChainReport {
  const own = known.filter((head) => head.chain === chain);
  const broken = isAsked && own.length === 0 ? [UNKNOWN] : own.flatMap((head) => compare(seen, head) ?? []);
  return {
    chain,
    lines: seen.lines,
    lastSeq: seen.last.seq,
    by: seen.last.by,
    problems: [...seen.problems, ...broken],
    anchored: own.length > 0 && broken.length === 0,
  };
}

function compare({ heads, last }: Seen, { seq, hash }: ChainHead): string | undefined {
  if (seq > last.seq) return `the cluster knows line ${seq}, the last one here is ${last.seq}: the end was cut off`;
  return heads.get(seq) === hash ? undefined : `line ${seq} is not the one that the cluster knows`;
}

function absentReport({ chain, seq }: ChainHead): ChainReport {
  const problems = [`the cluster knows ${seq + 1} lines of it, none is here`];
  return { chain, lines: 0, lastSeq: -1, by: "", problems, anchored: false };
}

function unique(reports: readonly ChainReport[]): ChainReport[] {
  return [...new Map(reports.map((one) => [one.chain, one])).values()];
}
