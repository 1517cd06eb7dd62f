// Where the third-party test data is: a folder named by $COUNTERSIGN_VECTORS and by nothing else. It is not part of
// this repository (see README.md beside this file); a suite that cannot run says how many cases that are.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { notRun } from "../not-run.ts";

const folder = process.env["COUNTERSIGN_VECTORS"];

export const hasVectors = folder !== undefined && folder !== "";

export function loadVectors<T>(path: string): T {
  return JSON.parse(readFileSync(join(folder ?? "", path), "utf8")) as T;
}

export function sayNotRun(suite: string, cases: number): void {
  notRun(`${cases} cases of ${suite}`, "COUNTERSIGN_VECTORS does not name a folder with the data");
}
