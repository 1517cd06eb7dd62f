export type { ChainAcceptance, ChainRefusal, ChainRefusalReason, ChainResult } from "./refusal.ts";
export { type ChainInput, validateChain } from "./validate.ts";
