export { csrStrategy } from "./strategy.ts";
