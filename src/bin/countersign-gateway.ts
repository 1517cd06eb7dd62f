#!/usr/bin/env node
// The gateway: discovery with a bootstrap token before a kube-apiserver that does not know it.

import { runGatewayCommand } from "../gateway/index.ts";
import { createProcessEdge } from "../platform/process/index.ts";

process.exitCode = await runGatewayCommand(process.argv.slice(2), createProcessEdge());
