#!/usr/bin/env node
// `kubelet-authenticator-insecure`: the credential plugin of the provider that proves nothing.

import { runAuthenticator } from "../node/exec/index.ts";

process.exitCode = await runAuthenticator("insecure", {
  args: process.argv.slice(2),
  env: process.env,
  now: Date.now,
  stdout: (text) => process.stdout.write(text),
  stderr: (text) => process.stderr.write(text),
});
