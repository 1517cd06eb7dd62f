export { createMatchBudget, type MatchBudget, matches } from "./match.ts";
export { compileRegexp, type Program } from "./program.ts";
