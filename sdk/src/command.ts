#!/usr/bin/env node
// `countersign-conformance MODULE`: the suite without a test runner. The module exports `conformance`, the suite's input or a
// function that makes it; where the function's world has to be taken down again, it exports `end` too.
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { type Conformance, conformanceChecks, failureOf } from "./conformance/index.ts";

interface World {
  readonly conformance?: Conformance | (() => Conformance | Promise<Conformance>);
  readonly end?: () => void | Promise<void>;
}

const EXIT_USAGE = 64;

async function main(path: string | undefined): Promise<number> {
  if (path === undefined) return usage("usage: countersign-conformance MODULE");
  const world = (await import(pathToFileURL(resolve(path)).href)) as World;
  if (world.conformance === undefined) return usage(`${path} must export conformance`);
  const input = typeof world.conformance === "function" ? await world.conformance() : world.conformance;
  let failed = 0;
  for (const { name, run } of conformanceChecks(input)) {
    const failure = await failureOf(run);
    if (failure !== undefined) failed += 1;
    process.stdout.write(failure === undefined ? `ok      ${name}\n` : `failed  ${name}: ${failure}\n`);
  }
  await world.end?.();
  process.stdout.write(
    failed === 0 ? `${input.provider.name} conforms\n` : `${input.provider.name} does not conform\n`,
  );
  return failed === 0 ? 0 : 1;
}

function usage(text: string): number {
  process.stderr.write(`${text}\n`);
  return EXIT_USAGE;
}

process.exitCode = await main(process.argv[2]);
