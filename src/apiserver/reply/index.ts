export { statusOfError } from "./fault-status.ts";
export { runReply } from "./stage.ts";
