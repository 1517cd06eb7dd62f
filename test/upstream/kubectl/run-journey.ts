// Runs a journey on one server and answers what was seen, in a form that two servers can be compared by.

import { spawn } from "node:child_process";
import { setTimeout as sleep } from "node:timers/promises";
import { expect } from "vitest";
import { patient } from "../../patience.ts";
import { locateBinary } from "../assets/binaries.mjs";
import { type ControlPlane, waitFor } from "../harness/index.ts";
import { hideDifferences } from "./differences.ts";
import { canonical, type Journey, type Step } from "./journey.ts";

export interface Stage {
  readonly plane: ControlPlane;
  readonly namespace: string;
  /** Path of a kubectl; left out: the one of the same release as the real server. */
  readonly binary?: string;
}

export interface Seen {
  readonly run: string;
  readonly code: number;
  readonly output: string;
}

const PATIENCE_MS = patient(20_000);

export async function runJourney(journey: Journey, stage: Stage): Promise<readonly Seen[]> {
  const kept = new Map([
    ["name", stage.namespace],
    ["server", stage.plane.url],
    ["now", new Date().toISOString().replace("Z", "000Z")],
  ]);
  const seen: Seen[] = [];
  await stage.plane.kubectl(["create", "namespace", stage.namespace]);
  for (const step of journey.steps) {
    const { code, output } = await runStep(step, stage, kept);
    if (step.keepAs !== undefined) kept.set(step.keepAs, output.trim());
    const text = canonical(output).replaceAll(stage.namespace, "<namespace>");
    seen.push({ run: step.run, code, output: hideDifferences(text, step.differs) });
  }
  return seen;
}

type Ended = Pick<Seen, "code" | "output">;

async function runStep(step: Step, stage: Stage, kept: ReadonlyMap<string, string>): Promise<Ended> {
  const fill = (text: string) => text.replace(/\$(\w+)/g, (whole, name: string) => kept.get(name) ?? whole);
  const all = [`--namespace=${stage.namespace}`, ...fill(step.run).split(" ")];
  if (step.during !== undefined) return runBeside(step, { all, stage, kept });
  const run = async (): Promise<Ended> => {
    const { binary } = stage;
    const options = { ...pick(step, fill), ...(binary === undefined ? {} : { binary }) };
    const { stdout, stderr, code } = await stage.plane.kubectl(all, options);
    check(step, { code, output: stdout + stderr });
    return { code, output: stdout + stderr };
  };
  return step.patiently === true ? waitFor({ what: step.run, limitMs: PATIENCE_MS, everyMs: 200, probe: run }) : run();
}

function pick({ input, env }: Step, fill: (text: string) => string): Pick<Step, "input" | "env"> {
  return { ...(input === undefined ? {} : { input: fill(input) }), ...(env === undefined ? {} : { env }) };
}

function check(step: Step, { code, output }: Ended): void {
  expect(code, `kubectl ${step.run}\n${output}`).toBe(step.code ?? 0);
  for (const pattern of patternsOf(step)) expect(canonical(output), `kubectl ${step.run}`).toMatch(pattern);
}

function patternsOf({ says = [] }: Step): readonly RegExp[] {
  return says instanceof RegExp ? [says] : says;
}

interface Beside {
  readonly all: readonly string[];
  readonly stage: Stage;
  readonly kept: ReadonlyMap<string, string>;
}

/** A command that says nothing before it waits shall have begun to wait by then. */
const BEGIN_MS = 1_500;
/** A command that has said everything ends by itself by then, or never. */
const END_MS = 500;

async function runBeside(step: Step, { all, stage, kept }: Beside): Promise<Ended> {
  const env = { ...process.env, HOME: stage.plane.dir, KUBECONFIG: stage.plane.adminKubeconfigPath };
  const child = spawn(stage.binary ?? locateBinary("kubectl").path, all, { env, stdio: ["ignore", "pipe", "pipe"] });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk) => (output += String(chunk)));
  const ended = new Promise<number | null>((resolve) => child.once("close", resolve));
  try {
    await Promise.race([ended, sleep(BEGIN_MS), until(() => output !== "")]);
    for (const other of step.during ?? []) await runStep(other, stage, kept);
    await Promise.race([ended, until(() => patternsOf(step).every((pattern) => pattern.test(canonical(output))))]);
    await Promise.race([ended, sleep(END_MS)]);
  } finally {
    child.kill("SIGKILL");
  }
  check(step, { code: (await ended) ?? 0, output });
  return { code: 0, output };
}

async function until(condition: () => boolean): Promise<void> {
  const end = Date.now() + PATIENCE_MS;
  while (!condition() && Date.now() < end) await sleep(20);
}
