export { createHealth, type Health, healthAnswer } from "./health.ts";
export { createMeter } from "./meter.ts";
