export { createHealth, type Health, healthAnswer } from "./health.ts";
export { followIssued } from "./issued.ts";
export { createMeter, type Meter } from "./meter.ts";
