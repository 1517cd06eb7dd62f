export { createGate, DEFAULT_LIMITS, type Gate, type Limits } from "./gate.ts";
