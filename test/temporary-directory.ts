// One temporary directory per run, removed at its end: what a test leaves behind (150 of them make directories) leaves
// with it.

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

export function setup(): () => void {
  const before = process.env["TMPDIR"];
  // Short, because socket paths have 108 bytes.
  const directory = mkdtempSync(join(tmpdir(), "cs-"));
  process.env["TMPDIR"] = directory;
  return () => {
    if (before === undefined) delete process.env["TMPDIR"];
    else process.env["TMPDIR"] = before;
    rmSync(directory, { recursive: true, force: true, maxRetries: 3 });
  };
}
