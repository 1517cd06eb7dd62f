// The machines of the demonstration with a software TPM each.

import { type ChildProcess, spawn } from "node:child_process";
import { constants, existsSync } from "node:fs";
import { access, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { createTpmProvider, readEndorsementKey } from "../../../attestation/index.ts";
import { Fault } from "../../../kernel/outcome/index.ts";
import type { Clock } from "../../../platform/clock/index.ts";
import { type DemoMachines, type DemoWorld, MEMBERS, STRANGER } from "./demo-machines.ts";

export async function startTpms({ clock, signal }: DemoWorld, program: string): Promise<DemoMachines> {
  const tpms = new Map<string, SoftwareTpm>();
  const close = async () => {
    for (const tpm of tpms.values()) await tpm.stop();
  };
  try {
    for (const machine of [...MEMBERS, STRANGER]) tpms.set(machine, await startSoftwareTpm(program, clock));
  } catch (failure) {
    await close();
    throw failure;
  }
  const addressOf = (machine: string) => tpms.get(machine)?.address;
  return {
    providerOf: (machine) => createTpmProvider({ address: addressOf(machine) }),
    identityOf: async (machine) => {
      const { spkiSha256 } = await readEndorsementKey({ clock, signal }, addressOf(machine));
      return { tpm: { ek: { spkiSha256 } } };
    },
    verifiers: [],
    mayServe: true,
    words: [`${MEMBERS.join(", ")} enrolled by their TPM keys`, "ready"],
    hint: undefined,
    close,
  };
}

/** swtpm as a process of its own, with a temporary directory for its state and sockets: the chip of a machine. */
interface SoftwareTpm {
  /** As `--tpm` takes it. */
  readonly address: string;
  stop(): Promise<void>;
}

const PROGRAM = "swtpm";
const START_LIMIT_MS = 10_000;
const LOOK_AGAIN_MS = 10;

/** Undefined where it is not installed. */
export async function findSwtpm(path: string | undefined): Promise<string | undefined> {
  for (const folder of (path ?? "").split(delimiter).filter((each) => each !== "")) {
    const program = join(folder, PROGRAM);
    const isThere = await access(program, constants.X_OK).then(
      () => true,
      () => false, // not in this folder
    );
    if (isThere) return program;
  }
  return undefined;
}

/** In the system's folder for temporary things: the name of a socket must be shorter than many a path of a project. */
async function startSoftwareTpm(program: string, clock: Clock): Promise<SoftwareTpm> {
  const directory = await mkdtemp(join(tmpdir(), "countersign-tpm-"));
  const socket = join(directory, "tpm.sock");
  const server = ["--server", `type=unixio,path=${socket}`, "--ctrl", `type=unixio,path=${socket}.ctrl`];
  const start = ["--flags", "not-need-init,startup-clear"];
  const args = ["socket", "--tpm2", "--tpmstate", `dir=${directory}`, ...server, ...start];
  const child = spawn(program, args, { stdio: "ignore" });
  const ended = new Promise<void>((resolve) => child.once("close", () => resolve()).once("error", () => resolve()));
  const stop = async () => {
    child.kill("SIGTERM");
    await ended;
    await rm(directory, { recursive: true, force: true });
  };
  try {
    await untilListening(child, socket, clock);
  } catch (failure) {
    await stop();
    throw failure;
  }
  return { address: `swtpm:path=${socket}`, stop };
}

async function untilListening(child: ChildProcess, socket: string, clock: Clock): Promise<void> {
  const deadlineMs = clock.now() + START_LIMIT_MS;
  while (!existsSync(socket) || !existsSync(`${socket}.ctrl`)) {
    if (child.exitCode !== null || child.pid === undefined || clock.now() > deadlineMs) {
      throw new Fault("unavailable", `${PROGRAM} did not start (exit code ${child.exitCode ?? "none"})`);
    }
    await clock.sleep(LOOK_AGAIN_MS);
  }
}
