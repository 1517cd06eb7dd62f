export { createUpkeep } from "./upkeep.ts";
