#!/usr/bin/env node
// `kubelet-authenticator-tpm`: the credential plugin of machines that prove themselves with their TPM.

import { createExecEdge, runAuthenticator, TPM_AUTHENTICATOR } from "../node/exec/index.ts";

// No await: the build makes a CommonJS file of this, which starts faster than a module.
void runAuthenticator(TPM_AUTHENTICATOR, createExecEdge()).then((code) => {
  process.exitCode = code;
});
