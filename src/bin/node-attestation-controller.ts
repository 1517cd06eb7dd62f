#!/usr/bin/env node
// The controller: judges and signs the certificate requests of nodes.

import { runControllerCommand } from "../controller/index.ts";
import { createProcessEdge } from "../platform/process/index.ts";

process.exitCode = await runControllerCommand(process.argv.slice(2), createProcessEdge());
