export { createHotAgent, type HotAgent } from "./hot-agent.ts";
export { hotSwapServer } from "./hot-server.ts";
