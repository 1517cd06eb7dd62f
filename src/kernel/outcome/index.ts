export { assert, Bug, Fault, type FaultCode, type FaultDetail, isFault } from "./fault.ts";
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
  type Verdict,
  type Wait,
  wait,
} from "./verdict.ts";
