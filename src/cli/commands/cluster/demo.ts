// `countersign demo`, which is `npm start`: a control plane starts, two machines join with a token and their proof; a
// third that holds the same token asks for the name of the first. Nothing is staged: every line is the outcome of a
// real request.

import { readdir, rm, writeFile } from "node:fs/promises";
import { dirname, join, relative, resolve } from "node:path";
import { buildTokenSecret, encodeToken, generateToken } from "../../../api/bootstrap/index.ts";
import { SECRETS } from "../../../api/meta/index.ts";
import type { NodeAttestationProvider } from "../../../attestation/index.ts";
import { Fault, isFault } from "../../../kernel/outcome/index.ts";
import { type DiscoveryMethod, joinNode, parseDiscoveryMethod } from "../../../node/index.ts";
import { type Plane, type PlaneOptions, startPlane } from "../../../plane/index.ts";
import { acquireLock, ensureDirectory } from "../../../platform/files/index.ts";
import { randomBytes } from "../../../platform/keys/index.ts";
import { VERSION } from "../../../platform/process/index.ts";
import { createLog } from "../../../platform/report/index.ts";
import { untilAborted } from "../../../platform/signals/index.ts";
import type { Command, CommandContext, OptionValues } from "../../command.ts";
import { startJoinLine } from "../../join-line.ts";
import { flagOption, portOption, requiredText } from "../../options.ts";
import { ADVICE } from "../../terminal/index.ts";
import { startInstances } from "./demo-instances.ts";
import { allowServing, renew, serve } from "./demo-life.ts";
import { type DemoMachines, type DemoWorld, enrolMembers, MEMBERS, STRANGER } from "./demo-machines.ts";
import { findSwtpm, startTpms } from "./demo-tpms.ts";

const TOKEN_TTL_MS = 15 * 60_000;
const COLUMN = 16;
/** In a directory that a demonstration may remove. */
const MARKER = ".countersign-demo";

export const clusterDemo: Command = {
  options: [
    { flags: "--exit-when-done", description: "end when the story is told instead of waiting for Ctrl-C" },
    {
      flags: "--data-dir <path>",
      description: "where the demonstration lives; emptied first",
      default: ".countersign/demo",
    },
    { flags: "--port <number>", description: "port of the API server, 0 for a free one", default: "6443" },
  ],
  run: async (context, { options }) => {
    const directory = resolve(requiredText(options, "dataDir"));
    context.terminal.out(`countersign ${VERSION}   embedded control plane, data in ${shown(directory)}\n\n`);
    await ensureDirectory(dirname(directory), 0o700);
    // Beside the directory, which is emptied: what another demonstration lives in must not be.
    const lock = await acquireLock(`${directory}.lock`);
    try {
      await perform(context, options, directory);
    } catch (failure) {
      if (!context.stop.aborted || !isFault(failure, "aborted")) throw failure;
      context.terminal.out("\n  stopped before its end; the next run begins anew\n");
      return ADVICE.aborted.exit;
    } finally {
      await lock.release();
    }
    context.terminal.out(flagOption(options, "exitWhenDone") ? "  done\n" : "stopped\n");
    return 0;
  },
};

async function perform(context: CommandContext, options: OptionValues, directory: string): Promise<void> {
  await emptyOwnDirectory(directory);
  const { clock, stop: signal, env } = context;
  const machines = await startMachines({ clock, signal, path: env["PATH"], directory });
  try {
    await show(context, options, { directory, machines });
  } finally {
    await machines.close();
  }
}

/**
 * Each machine has a software TPM where swtpm is installed; else each is an instance of a small platform, as in a
 * cloud.
 */
async function startMachines(world: DemoWorld): Promise<DemoMachines> {
  const program = await findSwtpm(world.path);
  return program === undefined ? await startInstances(world) : await startTpms(world, program);
}

interface Props {
  readonly directory: string;
  readonly machines: DemoMachines;
}

async function show(context: CommandContext, options: OptionValues, props: Props): Promise<void> {
  const plane = await startFresh(context, { ...props, port: portOption(options, "port") });
  try {
    const staysUp = !flagOption(options, "exitWhenDone");
    const csrName = await tellStory(context, { ...props, plane });
    showWayAround(context, plane, staysUp ? csrName : undefined);
    if (props.machines.hint !== undefined) context.terminal.out(`\n  ${props.machines.hint}\n`);
    if (staysUp) {
      context.terminal.out("  (Ctrl-C stops everything)\n");
      await Promise.race([untilAborted(context.stop), plane.failed]);
      context.terminal.out("\n  stopping … ");
    }
  } finally {
    await plane.close();
  }
}

/** The directory belongs to the demonstration: each run tells the story from its beginning. */
async function startFresh(context: CommandContext, where: Props & { readonly port: number }): Promise<Plane> {
  const startedMs = context.clock.now();
  const options: PlaneOptions = {
    directory: where.directory,
    host: "127.0.0.1",
    port: where.port,
    kubeconfigOut: join(where.directory, "admin.kubeconfig"),
    allowInsecure: false,
    verifiers: where.machines.verifiers,
    stop: context.stop,
    clock: context.clock,
    // Warnings are about what is tried again; they would disturb the output.
    log: await createLog({ level: "error", format: "text" }),
  };
  const plane = await startOnFreePort(options);
  line(context, "control plane", plane.url, `ready in ${seconds(context.clock.now() - startedMs)}`);
  line(context, "controller", `judging ${plane.signers.length} signers`, "ready");
  return plane;
}

/** Removes only what an earlier demonstration made, because the path may be mistyped. */
async function emptyOwnDirectory(directory: string): Promise<void> {
  const found = await readdir(directory).catch((cause: NodeJS.ErrnoException): string[] => {
    if (cause.code === "ENOENT") return [];
    throw new Fault("io-failed", `cannot read ${directory}`, { cause });
  });
  if (found.length > 0 && !found.includes(MARKER)) {
    throw new Fault(
      "bad-config",
      `${directory} is not empty and was not made by a demonstration; name another --data-dir`,
    );
  }
  await rm(directory, { recursive: true, force: true });
  await ensureDirectory(directory, 0o700);
  await writeFile(join(directory, MARKER), "made by countersign demo, removed by its next run\n");
}

/** Port 6443 may be taken by another cluster or demonstration. */
async function startOnFreePort(options: PlaneOptions): Promise<Plane> {
  try {
    return await startPlane(options);
  } catch (failure) {
    if (!isFault(failure) || failure.detail["systemCode"] !== "EADDRINUSE") throw failure;
    return await startPlane({ ...options, port: 0 });
  }
}

interface Stage extends Props {
  readonly plane: Plane;
}

/** Resolves with the name of the request that was refused. */
async function tellStory(context: CommandContext, { plane, directory, machines }: Stage): Promise<string> {
  await enrolMembers(machines, plane.client);
  const token = generateToken(randomBytes);
  const nowMs = context.clock.now();
  await plane.client.create(SECRETS, buildTokenSecret(token, { nowMs, ttlMs: TOKEN_TTL_MS }));
  line(context, "join token", `${token.id}.${"•".repeat(token.secret.length)}`, `${TOKEN_TTL_MS / 60_000} min left`);
  line(context, "attestation", ...machines.words);
  context.terminal.out("\n");
  const machine = { discovery: parseDiscoveryMethod({ address: plane.url, token: encodeToken(token) }) };
  for (const nodeName of MEMBERS) {
    const provider = machines.providerOf(nodeName);
    await showJoin(context, { ...machine, provider, nodeName, directory: join(directory, "nodes", nodeName) });
  }
  await showLife(context, { plane, directory, machines });
  return await showImpostor(context, {
    ...machine,
    provider: machines.providerOf(STRANGER),
    nodeName: MEMBERS[0],
    directory: join(directory, STRANGER),
  });
}

interface Machine {
  readonly discovery: DiscoveryMethod;
  readonly provider: NodeAttestationProvider;
  readonly nodeName: string;
  readonly directory: string;
}

async function showJoin(context: CommandContext, machine: Machine): Promise<void> {
  const startedMs = context.clock.now();
  const shownLine = startJoinLine(context.terminal, machine.nodeName);
  try {
    await joinNode({
      ...machine,
      registerNode: { addresses: [{ type: "Hostname", address: machine.nodeName }] },
      clock: context.clock,
      signal: context.stop,
      progress: (step, detail) => shownLine.step(step, detail),
    });
  } catch (failure) {
    shownLine.end("");
    throw failure;
  }
  shownLine.end(seconds(context.clock.now() - startedMs));
}

async function showLife(context: CommandContext, { plane, directory, machines }: Stage): Promise<void> {
  const { clock, stop: signal } = context;
  const nodeName = MEMBERS[0];
  const provider = machines.providerOf(nodeName);
  const node = { nodeName, directory: join(directory, "nodes", nodeName), provider, clock, signal };
  await timed(context, `${nodeName}   renewed by its certificate and fresh proof`, () => renew(node));
  if (!machines.mayServe) return;
  await allowServing(plane.client, provider.name);
  await timed(context, `${nodeName}   got a certificate to serve with, by the same proof`, () => serve(node));
}

async function timed({ terminal, clock }: CommandContext, words: string, act: () => Promise<void>): Promise<void> {
  const startedMs = clock.now();
  terminal.out(`  ${words}   `);
  await act();
  terminal.out(`${seconds(clock.now() - startedMs)}\n`);
}

async function showImpostor(context: CommandContext, machine: Machine): Promise<string> {
  const { terminal } = context;
  terminal.out(`  impostor asks to be ${machine.nodeName} with the same token   `);
  try {
    await joinNode({ ...machine, clock: context.clock, signal: context.stop });
  } catch (failure) {
    if (!isFault(failure, "denied")) throw failure;
    const rule = String(failure.detail["rule"] ?? failure.detail["reason"] ?? "");
    const message = String(failure.detail["message"] ?? failure.message);
    terminal.out(`${terminal.paint("bad", "refused")}: ${rule}\n`);
    terminal.out(`           ${message.replace(`${rule}: `, "")}\n`);
    return String(failure.detail["name"] ?? "");
  }
  throw new Fault("internal", `a second machine became ${machine.nodeName} with a bootstrap token`);
}

/** With `--exit-when-done` the cluster has ended when this is read, so no kubeconfig is shown. */
function showWayAround({ terminal }: CommandContext, plane: Plane, csrName: string | undefined): void {
  if (csrName === undefined) {
    terminal.out(
      `\n  ${"look around".padEnd(COLUMN)}start it without --exit-when-done: it then stays up for kubectl\n`,
    );
    return;
  }
  const kubeconfig = shown(plane.kubeconfigPath);
  terminal.out(`\n  ${"look around".padEnd(COLUMN)}export KUBECONFIG=${kubeconfig}\n`);
  terminal.out(`  ${"".padEnd(COLUMN)}kubectl get csr,nodes\n`);
  terminal.out(`  ${"".padEnd(COLUMN)}npx countersign csr explain ${csrName}\n`);
}

function line({ terminal }: CommandContext, what: string, value: string, state: string): void {
  terminal.out(`  ${what.padEnd(COLUMN)}${value.padEnd(46)} ${terminal.paint("good", state)}\n`);
}

function seconds(ms: number): string {
  return `${(ms / 1000).toFixed(1)} s`;
}

/** The path as typed from the working directory. */
function shown(path: string): string {
  const fromHere = relative(process.cwd(), path);
  return fromHere.startsWith("..") ? path : fromHere;
}
