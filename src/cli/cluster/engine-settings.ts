// V8 settings for a process that serves for days: set while it runs, because a command started by its file has no say in
// Node's flags. They trade time of the garbage collector and of a compiler for memory; bench/apiserver.mjs shows what is gained.

import { setFlagsFromString } from "node:v8";

/**
 * - heap-growing-percent: V8 lets garbage grow to about twice of what is alive before it looks; here to a fifth more. Objects
 *   are kept as text (apiserver/storage/held.ts), which the collector does not look into, so looking often costs little.
 * - semi-space-growth-factor: the nursery stays as large as the start of the process made it.
 */
const SETTINGS: readonly string[] = ["--heap-growing-percent=20", "--semi-space-growth-factor=1"];

/**
 * The HTTP client's parser is WebAssembly. V8 soon compiles it a second time with its best compiler, which takes 36 MB and a core for
 * a while, and the controller's requests to its own process gain nothing by it. Where the first compiler knows all instructions.
 */
const WITHOUT_SECOND_COMPILER = "--liftoff-only";
const FULLY_SUPPORTED: readonly string[] = ["x64", "arm64"];

export function tuneEngine(): void {
  for (const setting of SETTINGS) setFlagsFromString(setting);
  if (FULLY_SUPPORTED.includes(process.arch)) setFlagsFromString(WITHOUT_SECOND_COMPILER);
}
