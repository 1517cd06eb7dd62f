export {
  CHAIN_REFUSALS,
  type ChainAcceptance,
  type ChainRefusal,
  type ChainRefusalReason,
  type ChainResult,
} from "./refusal.ts";
export { type ChainInput, validateChain } from "./validate.ts";
