export { agreeOnVersion } from "./next-version.ts";
export {
  afterRefusal,
  countHello,
  isRefusal,
  loadPace,
  type Pace,
  pauseBeforeRetry,
  requireNoPause,
  savePace,
  UNHURRIED,
  withPcrsOf,
} from "./pace.ts";
export {
  type FoundRequest,
  planExchange,
} from "./plan.ts";
export {
  type CertificateRequests,
  type ExchangeOptions,
  type ExchangeResult,
  runExchange,
} from "./run.ts";
export {
  dropExchange,
  loadExchange,
  type SavedRequest,
  saveExchange,
  stageOf,
} from "./state.ts";
