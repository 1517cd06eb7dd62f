#!/usr/bin/env node
// `kubelet-authenticator-insecure`: the credential plugin of the provider that proves nothing.

import { createExecEdge, INSECURE_AUTHENTICATOR, runAuthenticator } from "../node/exec/index.ts";

// No await: the build makes a CommonJS file of this, which starts faster than a module.
void runAuthenticator(INSECURE_AUTHENTICATOR, createExecEdge()).then((code) => {
  process.exitCode = code;
});
