import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { acquireLock } from "./lock.ts";
import { identityOf } from "./process-identity.ts";

const root = mkdtempSync(join(tmpdir(), "lock-"));
afterAll(() => rmSync(root, { recursive: true, force: true }));

const newPath = () => join(mkdtempSync(join(root, "d-")), "lock");
const TOKEN = "1".repeat(32);
const left = (path: string) => readdirSync(join(path, ".."));

function deadPid(): number {
  return spawnSync(process.execPath, ["--version"]).pid;
}

function leaveLock(path: string, holder: object): void {
  writeFileSync(path, JSON.stringify({ token: TOKEN, ...holder }));
}

describe("a lock", () => {
  it("is held once, names its holder, and is gone after its release", () => {
    const path = newPath();
    const lock = acquireLock(path);
    expect(JSON.parse(readFileSync(path, "utf8"))).toMatchObject({ pid: process.pid });
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(() => acquireLock(path)).toThrow(
      expect.objectContaining({ code: "locked", message: expect.stringContaining(`process ${process.pid}`) }),
    );
    lock.release();
    expect(left(path)).toEqual([]);
    acquireLock(path).release();
  });

  it("leaves nothing beside the lock file, whether it is granted or refused", () => {
    const path = newPath();
    acquireLock(path);
    expect(() => acquireLock(path)).toThrow();
    expect(left(path)).toEqual(["lock"]);
  });

  it("is not removed by a holder that has lost it", () => {
    const path = newPath();
    const lock = acquireLock(path);
    leaveLock(path, identityOf(process.pid));
    lock.release();
    expect(existsSync(path)).toBe(true);
  });
});

describe("a lock that was left behind is taken over when its holder", () => {
  it.each<[string, () => object]>([
    ["has ended", () => ({ pid: deadPid() })],
    ["has ended and its pid is another process now", () => ({ ...identityOf(process.pid), started: "1" })],
    ["ran before the machine was started again", () => ({ ...identityOf(process.pid), boot: "another boot" })],
  ])("%s", (_, holder) => {
    const path = newPath();
    leaveLock(path, holder());
    acquireLock(path);
    expect(JSON.parse(readFileSync(path, "utf8"))).toMatchObject({ pid: process.pid });
    expect(left(path)).toEqual(["lock"]);
  });

  it("has ended, and so has the one that was taking over from it", () => {
    const path = newPath();
    leaveLock(path, { pid: deadPid() });
    leaveLock(`${path}.${TOKEN}.claim`, { pid: deadPid() });
    acquireLock(path);
    expect(left(path)).toEqual(["lock"]);
  });
});

describe("a lock file is respected when", () => {
  it.each<[string, string]>([
    ["its holder runs", JSON.stringify({ token: TOKEN, ...identityOf(process.ppid) })],
    ["another process is taking it over right now", JSON.stringify({ token: TOKEN, pid: deadPid() })],
    ["it is not ours", "a file of somebody else"],
    ["its pid is none", JSON.stringify({ token: TOKEN, pid: -1 })],
    ["its token would lead out of the directory", JSON.stringify({ token: "../../x", pid: 1 })],
  ])("%s", (_, text) => {
    const path = newPath();
    writeFileSync(path, text);
    leaveLock(`${path}.${TOKEN}.claim`, identityOf(process.pid));
    expect(() => acquireLock(path)).toThrow(expect.objectContaining({ code: "locked" }));
    expect(readFileSync(path, "utf8")).toBe(text);
  });
});
