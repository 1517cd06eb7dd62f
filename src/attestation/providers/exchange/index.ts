export {
  dropExchange,
  loadExchange,
  type SavedExchange,
  type SavedRequest,
  saveExchange,
  stageOf,
} from "./exchange-state.ts";
export {
  afterRefusal,
  countHello,
  isRefusal,
  loadPace,
  MAX_HELLOS_AN_HOUR,
  type Pace,
  pauseBeforeRetry,
  requireNoPause,
  savePace,
  UNHURRIED,
  withRegistersOf,
} from "./pace.ts";
export {
  type ExchangeDrop,
  type ExchangeStage,
  type ExchangeStep,
  type FoundRequest,
  planExchange,
  type Refusal,
} from "./plan.ts";
export {
  type CertificateRequests,
  type ExchangeOptions,
  type ExchangeResult,
  runExchange,
} from "./run-exchange.ts";
