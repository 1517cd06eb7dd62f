#!/usr/bin/env node
// `countersign-conformance MODULE`: the suite without a test runner. The module exports `conformance`,
// `endorsementKeys` or both, each the input of its checks or a function that makes it; if that world has to be taken
// down again, it exports `end` too.
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { wordsOf } from "./conformance/bounded.ts";
import {
  type Conformance,
  type ConformanceCheck,
  conformanceChecks,
  type EndorsementKeyConformance,
  endorsementKeyChecks,
  failureOf,
} from "./conformance/index.ts";

type Made<T> = T | (() => T | Promise<T>);

interface World {
  readonly conformance?: Made<Conformance>;
  readonly endorsementKeys?: Made<EndorsementKeyConformance>;
  readonly end?: () => void | Promise<void>;
}

const EXIT_DOES_NOT_CONFORM = 1;
const EXIT_USAGE = 64;

const USAGE = "usage: countersign-conformance MODULE";
const HELP = `${USAGE}

Runs the conformance suite of attestation providers, one line a check.

The module exports one of these, or both, each the input of its checks or a function that makes it:
  conformance       { provider, verifier, … }: the two ends of a provider
  endorsementKeys   { source, machine, … }: a source of endorsement keys
and, where what they made has to be taken down again, end, a function.

Exit status: 0 everything holds, 1 something does not, 64 there is nothing that could be checked.
`;

async function main(path: string | undefined): Promise<number> {
  if (path === undefined) return refuse(USAGE);
  if (path === "--help" || path === "-h") {
    process.stdout.write(HELP);
    return 0;
  }
  try {
    const world = (await import(pathToFileURL(resolve(path)).href)) as World;
    const { conformance, endorsementKeys } = world;
    if (conformance === undefined && endorsementKeys === undefined)
      return refuse(
        `${path} must export conformance, { provider, verifier, … }, or endorsementKeys, { source, machine, … }`,
      );
    try {
      const keys = endorsementKeys === undefined ? undefined : await made(endorsementKeys);
      const ends = conformance === undefined ? undefined : await made(conformance);
      const checks = [
        ...(ends === undefined ? [] : conformanceChecks(ends)),
        ...(keys === undefined ? [] : endorsementKeyChecks(keys)),
      ];
      return await runAll(ends?.provider.name ?? keys?.source.name ?? path, checks);
    } finally {
      await world.end?.();
    }
  } catch (failure) {
    return refuse(`${path} cannot be used: ${wordsOf(failure)}`);
  }
}

async function made<T extends object>(value: Made<T>): Promise<T> {
  return typeof value === "function" ? await value() : value;
}

async function runAll(who: string, checks: readonly ConformanceCheck[]): Promise<number> {
  let failed = 0;
  for (const { name, run } of checks) {
    const failure = await failureOf(run);
    if (failure !== undefined) failed += 1;
    process.stdout.write(failure === undefined ? `ok      ${name}\n` : `failed  ${name}: ${failure}\n`);
  }
  const count = `${checks.length - failed} of ${checks.length} checks hold`;
  process.stdout.write(`${who} ${failed === 0 ? "conforms" : "does not conform"}: ${count}\n`);
  return failed === 0 ? 0 : EXIT_DOES_NOT_CONFORM;
}

function refuse(text: string): number {
  process.stderr.write(`${text}\n`);
  return EXIT_USAGE;
}

const code = await main(process.argv[2]);
// Once everything is written: what a provider has left open does not keep the process alive.
process.stdout.write("", () => process.exit(code));
