export { hotSwapServer } from "./hot-server.ts";
