export { createGate, DEFAULT_LIMITS, type Gate, type Limits } from "./gate.ts";
export { heavyTurn } from "./heavy.ts";
export { createLane, type Lane } from "./lane.ts";
