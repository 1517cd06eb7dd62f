#!/usr/bin/env node
// `kubelet-authenticator`: the credential plugin of a node that asks Kubernetes' own signer.

import { createExecEdge, PLAIN_AUTHENTICATOR, runAuthenticator } from "../node/exec/index.ts";

// No await: the build makes a CommonJS file of this, which starts faster than a module.
void runAuthenticator(PLAIN_AUTHENTICATOR, createExecEdge()).then((code) => {
  process.exitCode = code;
});
