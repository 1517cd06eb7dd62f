#!/usr/bin/env node
// The `countersign` command.

import { countersign, runProgram } from "../cli/index.ts";
import { createProcessEdge } from "../platform/process/index.ts";

process.exitCode = await runProgram(countersign, process.argv.slice(2), createProcessEdge());
