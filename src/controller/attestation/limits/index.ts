export { type Crowd, type CrowdOptions, createCrowd } from "./crowd.ts";
export { createFloodControl, type FloodControl } from "./flood-control.ts";
export { createJunkCount, DENIALS_TOLD, type JunkCount } from "./junk.ts";
export {
  ATTESTED_REQUESTS,
  attestedKeys,
  createOverflow,
  type Overflow,
  type OverflowOptions,
  REQUESTS_KEPT,
} from "./overflow.ts";
export {
  CHALLENGE_RATE,
  type ChallengePace,
  createChallengePace,
  createWritePace,
  paceWrites,
  WRITE_RATE,
} from "./pace.ts";
