// Preloaded (`node --import`) into a program that runs from the sources. Imports every module of src/ first, so that
// what modules do when they are loaded is not counted, then lets V8 count calls. Tells its parent on demand, and at the
// end of the process, which files of src/ had a function called since the last time.

import { readdirSync } from "node:fs";
import { Session } from "node:inspector";
import { join, relative } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

const ROOT = process.env["COUNTERSIGN_TRACED_ROOT"] ?? "";
const modules = readdirSync(join(ROOT, "src"), { recursive: true, encoding: "utf8" })
  .filter((path) => path.endsWith(".ts") && !path.endsWith(".test.ts") && !path.startsWith("bin/"))
  .map((path) => pathToFileURL(join(ROOT, "src", path)).href);
for (const url of modules) await import(url);

const session = new Session();
session.connect();
session.post("Profiler.enable");
session.post("Profiler.startPreciseCoverage", { callCount: true, detailed: false });

/** @returns {string[]} */
function takeFiles() {
  /** @type {string[]} */
  let files = [];
  // Within the process it answers before `post` returns.
  session.post("Profiler.takePreciseCoverage", (failure, { result }) => {
    if (failure) throw failure;
    files = result
      .filter(({ functions }) => functions.some(({ ranges }) => ranges.some(({ count }) => count > 0)))
      .map(({ url }) => url)
      .filter((url) => url.startsWith("file:"))
      .map((url) => relative(ROOT, fileURLToPath(url)))
      .filter((path) => path.startsWith("src/"));
  });
  return files;
}

process.on("message", () => process.send?.(takeFiles()));
process.channel?.unref();
process.on("exit", () => process.send?.(takeFiles()));
takeFiles();
