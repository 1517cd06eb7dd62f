// The hops of docs/journey.md as data, and a build that shows in which order they happen: a copy of the tree's in which
// each named function, when it is called, writes its name and the file that called it. All programs append to one file,
// so the order of its lines is the order of the calls.

import { cpSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { DIST } from "../journeys/program.ts";

export interface Hop {
  readonly number: number;
  readonly step: string;
  /** Paths below src/. */
  readonly from: string;
  readonly to: string;
  /** `f`: a function; `f()`: the function that f returns; `f().m`: a method of what f returns. */
  readonly carrier: string;
  /** `→` in the page: `from` calls the carrier. `⇒`: a request, or an event of a watch, over HTTPS. */
  readonly isCall: boolean;
}

export interface TracedCall {
  /** As `to#carrier`. */
  readonly called: string;
  /** Path below src/. */
  readonly caller: string;
}

const ROOT = fileURLToPath(new URL("../../", import.meta.url));
const HOP = /^(\d+)\. \*\*([a-z ]+)\*\* `([^`]+)` ([→⇒]) `([^`]+)` `([^`]+)`$/gm;

/** The hops below a heading, up to the next heading of its level. */
export function hopsBelow(page: string, heading: string): readonly Hop[] {
  const [, below = ""] = page.split(`\n## ${heading}\n`);
  const [section = ""] = below.split("\n## ");
  return [...section.matchAll(HOP)].map(([, number, step = "", from = "", arrow, to = "", carrier = ""]) => ({
    number: Number(number),
    ...{ step, from, to, carrier },
    isCall: arrow === "→",
  }));
}

export function keyOf({ to, carrier }: Pick<Hop, "to" | "carrier">): string {
  return `${to}#${carrier}`;
}

/** The name that the receiving file exports. */
export function exportOf({ carrier }: Pick<Hop, "carrier">): string {
  return /^\w+/.exec(carrier)?.[0] ?? "";
}

/** A build whose named functions tell of their calls; returns the folder of its programs. */
export function instrumentBuild(directory: string, hops: readonly Hop[]): string {
  const dist = join(directory, "dist");
  cpSync(DIST, dist, { recursive: true, filter: (path) => !/\.(?:map|d\.ts)$|(?:chunks|single-file)$/.test(path) });
  cpSync(join(ROOT, "package.json"), join(directory, "package.json"));
  symlinkSync(join(ROOT, "node_modules"), join(directory, "node_modules"));
  // The build's own is a bundle; its source is without types.
  const program = readFileSync(join(ROOT, "src/bin/countersign.ts"), "utf8").replaceAll('.ts"', '.js"');
  writeFileSync(join(dist, "bin/countersign.js"), program);
  for (const file of new Set(hops.map(({ to }) => to))) {
    const carriers = new Set(hops.filter(({ to }) => to === file).map(({ carrier }) => carrier));
    const path = join(dist, file.replace(/\.ts$/, ".js"));
    const told = [...carriers].map((carrier) => tellingOf({ to: file, carrier }));
    writeFileSync(path, `${readFileSync(path, "utf8")}\n${TELL}\n${told.join("\n")}\n`);
  }
  return join(dist, "bin");
}

/** The binding of a function declaration can be set anew, and importers see it. */
function tellingOf(hop: Pick<Hop, "to" | "carrier">): string {
  const name = exportOf(hop);
  const key = JSON.stringify(keyOf(hop));
  const [, returned, member] = /^\w+(\(\))?(?:\.(\w+))?$/.exec(hop.carrier) ?? [];
  if (returned === undefined) return `${name} = tellHop(${name}, ${key});`;
  const made = member === undefined ? `tellHop(made, ${key})` : `tellMember(made, "${member}", ${key})`;
  return `{ const original = ${name}; ${name} = (...args) => { const made = original(...args); return ${made}; }; }`;
}

const TELL = `
import { appendFileSync as appendHop } from "node:fs";
function tellHop(original, key) {
  return function (...args) {
    const [, , frame = ""] = new Error().stack.split("\\n").filter((line) => !line.includes("tellMember"));
    const caller = /\\/dist\\/([^:]+)\\.js:/.exec(frame)?.[1] ?? "";
    const path = process.env.COUNTERSIGN_CALLS;
    if (path !== undefined) appendHop(path, key + " " + caller + ".ts\\n");
    return original.apply(this, args);
  };
}
function tellMember(made, member, key) {
  made[member] = tellHop(made[member], key);
  return made;
}`;

export function readCalls(path: string): readonly TracedCall[] {
  return readFileSync(path, "utf8")
    .trim()
    .split("\n")
    .map((line) => {
      const [called = "", caller = ""] = line.split(" ");
      return { called, caller };
    });
}

/** The hops that were not called after the hop before them; empty where all happened in this order. */
export function findMissed(hops: readonly Hop[], calls: readonly TracedCall[]): readonly string[] {
  const missed: string[] = [];
  let at = 0;
  for (const hop of hops) {
    const isIt = ({ called, caller }: TracedCall) => called === keyOf(hop) && (!hop.isCall || caller === hop.from);
    const found = calls.findIndex((call, index) => index >= at && isIt(call));
    if (found === -1) missed.push(`${hop.number} ${hop.step}: ${keyOf(hop)} called by ${hop.from}`);
    else at = found + 1;
  }
  return missed;
}
