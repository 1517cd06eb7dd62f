// `kubelet-authenticator-null`, bundled by the tests that need a plugin that renews.

import { createExecEdge, runAuthenticator } from "../../../src/node/exec/index.ts";
import { NULL_AUTHENTICATOR } from "./null.ts";

void runAuthenticator(NULL_AUTHENTICATOR, createExecEdge()).then((code) => {
  process.exitCode = code;
});
