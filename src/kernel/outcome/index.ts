export { assert, Bug } from "./assert.ts";
export { FAULT_CODES, Fault, type FaultCode, type FaultDetail, type FaultOptions, isFault } from "./fault.ts";
export {
  type Approval,
  type Finding,
  type Judgement,
  judgeInOrder,
  notMine,
  notYet,
  pass,
  type Rule,
  refuse,
  type Seen,
  type TrailEntry,
} from "./rules.ts";
export {
  type Allow,
  allow,
  type Deny,
  deny,
  type NoOpinion,
  noOpinion,
  type Said,
  type Verdict,
  type Wait,
  wait,
} from "./verdict.ts";
