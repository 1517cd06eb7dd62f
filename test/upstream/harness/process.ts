// A server under test: started in a process group of its own, writing to a log file, ended as a whole group.

import { type ChildProcess, spawn } from "node:child_process";
import { closeSync, openSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { note } from "./reaper.ts";

export interface ProcessOptions {
  readonly name: string;
  readonly command: string;
  readonly args: readonly string[];
  /** Where the log goes, as <name>.log, and the working directory. */
  readonly dir: string;
  readonly env?: Readonly<Record<string, string>>;
}

export interface ServerProcess {
  readonly name: string;
  /** Of the process that runs now; another one after a restart. */
  pid(): number;
  readonly logPath: string;
  /** How it ended; undefined while it runs. */
  ending(): string | undefined;
  lastLines(count?: number): string;
  /** The same command again, after the end of the one that runs. The log goes on. */
  restart(): Promise<void>;
  stop(): Promise<void>;
}

export async function startProcess(options: ProcessOptions): Promise<ServerProcess> {
  const logPath = join(options.dir, `${options.name}.log`);
  let group = await startGroup(options, logPath);
  return {
    name: options.name,
    pid: () => group.pid,
    logPath,
    ending: () => group.ending(),
    lastLines: (count = 25) => readLastLines(logPath, count),
    restart: async () => {
      await group.stop();
      group = await startGroup(options, logPath);
    },
    stop: () => group.stop(),
  };
}

type Group = Pick<ServerProcess, "ending" | "stop"> & { readonly pid: number };

async function startGroup(options: ProcessOptions, logPath: string): Promise<Group> {
  const child = await spawnGroup(options, logPath);
  const pid = Number(child.pid);
  note({ group: pid });
  let ending: string | undefined;
  const ended = new Promise<void>((resolve) => {
    child.on("exit", (code, signal) => {
      ending = signal === null ? `exit code ${code}` : `signal ${signal}`;
      resolve();
    });
  });
  return {
    pid,
    ending: () => ending,
    stop: async () => {
      await endGroup(pid, options.name);
      await ended;
      note({ groupEnded: pid });
    },
  };
}

async function spawnGroup(options: ProcessOptions, logPath: string): Promise<ChildProcess> {
  const log = openSync(logPath, "a");
  try {
    const env = { ...process.env, ...options.env };
    const stdio: ["ignore", number, number] = ["ignore", log, log];
    const child = spawn(options.command, options.args, { cwd: options.dir, env, stdio, detached: true });
    await new Promise((resolve, reject) => {
      child.once("spawn", resolve);
      child.once("error", reject);
    });
    return child;
  } finally {
    closeSync(log);
  }
}

const END_LIMIT_MS = 10_000;

/** At once and without a farewell: whatever such a process would save, nobody reads again. */
async function endGroup(group: number, name: string): Promise<void> {
  const limit = Date.now() + END_LIMIT_MS;
  while (signalGroup(group)) {
    if (Date.now() > limit) throw new Error(`${name} (process group ${group}) did not end in ${END_LIMIT_MS} ms`);
    await sleep(10);
  }
}

/** False when the group has no member left. */
function signalGroup(group: number): boolean {
  try {
    return process.kill(-group, "SIGKILL");
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ESRCH") return false;
    throw error;
  }
}

function readLastLines(path: string, count: number): string {
  return readFileSync(path, "utf8").trimEnd().split("\n").slice(-count).join("\n");
}
