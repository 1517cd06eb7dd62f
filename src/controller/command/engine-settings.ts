// V8 settings for a process that must be quick soon after its start: a controller that takes over meets a thousand machines that
// have waited for it. Set while it runs, because a command started by its file has no say in Node's flags.

import { setFlagsFromString } from "node:v8";

/**
 * interrupt-budget: how much of a function runs before V8 looks whether to optimize it; its own measure is 67,584. A join passes
 * through some five hundred functions, most of them once: by that measure the second thousand of joins is still half interpreted.
 * Five pairs of runs on a real server, in turn: the second thousand takes 0.93 of the controller's processor time (0.84 to 0.96), the
 * first as much as before; seven against a stand-in that costs less: 0.71 (0.53 to 0.99). 20 MiB more are resident. A budget of
 * 200,000 changed nothing; a collector without threads took a tenth off, which is not worth its pauses with 100,000 Machines.
 */
const SETTINGS: readonly string[] = ["--interrupt-budget=15000"];

export function tuneEngine(): void {
  for (const setting of SETTINGS) setFlagsFromString(setting);
}
