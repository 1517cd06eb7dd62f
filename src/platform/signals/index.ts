export { onAbort, reasonOf } from "./on-abort.ts";
export { runTogether } from "./run-together.ts";
export { untilAborted } from "./until-aborted.ts";
export { type Limit, withinLimit } from "./within-limit.ts";
