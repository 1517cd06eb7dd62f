export { certificateFact, gatherHealth, lookAt } from "./gather.ts";
export { type Finding, type FindingState, isWell, judgeHealth, span } from "./judge.ts";
export type { HealthOptions } from "./options.ts";
