#!/usr/bin/env node
// The `countersign` command.

import { countersign, runProgram } from "../cli/index.ts";
import { createProcessEdge } from "../platform/process/index.ts";

// No await at the top: the single-file executable is CommonJS.
void runProgram(countersign, process.argv.slice(2), createProcessEdge()).then((code) => {
  process.exitCode = code;
});
