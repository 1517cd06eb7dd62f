export { createProcessEdge, type OutputStream, type ProcessEdge } from "./process-edge.ts";
export { runCommand } from "./run-command.ts";
export { VERSION } from "./version.ts";
export { type StandardOutput, writeNow } from "./write-now.ts";
