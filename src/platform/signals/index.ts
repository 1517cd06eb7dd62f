export { onAbort } from "./on-abort.ts";
export { runTogether } from "./run-together.ts";
export { untilAborted } from "./until-aborted.ts";
