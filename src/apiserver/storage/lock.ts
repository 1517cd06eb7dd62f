// One process per data directory. The lock is a file that names its holder; a holder that has died is replaced.
// Liveness is more than the pid: in a container the next process often gets the pid of the last, so the file also names the
// boot and the start time of the process where the system tells them (Linux). Local file systems only, and all contenders
// must see one another's processes: nothing here can look into another machine or another pid namespace.

import { linkSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { encodeHex } from "../../kernel/bytes/index.ts";
import { Fault } from "../../kernel/outcome/index.ts";
import { randomBytes } from "../../platform/keys/index.ts";
import { identityOf, isAlive, type ProcessIdentity } from "./process-identity.ts";

export interface Lock {
  release(): void;
}

interface Holder extends ProcessIdentity {
  /** Names this one acquisition. */
  readonly token: string;
}

const TOKEN_BYTES = 16;
/** Part of a file name, so it must not be able to lead anywhere. */
const TOKEN = /^[0-9a-f]{32}$/;

/** A takeover by somebody else can interfere a few times at most; then whoever won is alive and we are refused. */
const MAX_ATTEMPTS = 10;

/** Fault `locked` when a living process holds it. */
export function acquireLock(path: string): Lock {
  const own: Holder = { ...identityOf(process.pid), token: encodeHex(randomBytes(TOKEN_BYTES)) };
  const draft = `${path}.${own.token}`;
  writeFileSync(draft, JSON.stringify(own), { mode: 0o600, flag: "wx" });
  try {
    for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
      if (link(draft, path)) return lockOf(path, own);
      const holder = readHolder(path);
      if (holder === undefined) continue;
      if (isAlive(holder)) throw locked(path, holder);
      if (takeOver(path, draft, holder)) return lockOf(path, own);
    }
    throw new Fault("locked", `${path} changes hands too quickly`);
  } finally {
    rmSync(draft, { force: true });
  }
}

/**
 * Replaces the lock of a dead holder. Only one contender can create the claim for that holder's token, and it looks again
 * before it replaces the file, so a lock that a faster contender has just taken is never overwritten.
 */
function takeOver(path: string, draft: string, dead: Holder): boolean {
  const claim = `${path}.${dead.token}.claim`;
  if (!link(draft, claim)) {
    const claimant = readHolder(claim);
    if (claimant !== undefined && !isAlive(claimant)) rmSync(claim, { force: true });
    return false;
  }
  try {
    if (readHolder(path)?.token !== dead.token) return false;
    renameSync(claim, path);
    return true;
  } finally {
    rmSync(claim, { force: true });
  }
}

function lockOf(path: string, own: Holder): Lock {
  return {
    release: () => {
      if (readHolder(path)?.token === own.token) rmSync(path, { force: true });
    },
  };
}

/** A hard link appears with its whole content or not at all, and never replaces a file. */
function link(from: string, to: string): boolean {
  try {
    linkSync(from, to);
    return true;
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === "EEXIST") return false;
    throw new Fault("io-failed", `cannot create the lock ${to}`, { cause });
  }
}

/** Undefined when the file has just gone. */
function readHolder(path: string): Holder | undefined {
  try {
    return parseHolder(readFileSync(path, "utf8"), path);
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw cause;
  }
}

function parseHolder(text: string, path: string): Holder {
  try {
    const { pid, token, boot, started } = JSON.parse(text) as Partial<Record<keyof Holder, unknown>>;
    if (isPid(pid) && typeof token === "string" && TOKEN.test(token)) {
      return { pid, token, boot: textOr(boot), started: textOr(started) };
    }
  } catch (cause) {
    throw new Fault("locked", `${path} is not a lock file of this program, remove it by hand`, { cause });
  }
  throw new Fault("locked", `${path} is not a lock file of this program, remove it by hand`);
}

/** Zero and negative numbers would ask about whole groups of processes. */
function isPid(value: unknown): value is number {
  return Number.isSafeInteger(value) && Number(value) > 0;
}

function textOr(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}

function locked(path: string, holder: Holder): Fault {
  return new Fault("locked", `${path} is held by process ${holder.pid}, which is running`, {
    detail: { path, pid: holder.pid },
  });
}
