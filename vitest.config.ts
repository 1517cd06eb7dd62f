import { availableParallelism } from "node:os";
import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";
import { patient } from "./test/patience.ts";

// Unit, contract, golden and journey tests; all on loopback and in temporary directories.
export default defineConfig({
  // The examples import the SDK by its name, as strangers do; here that is its source.
  resolve: { alias: { "@countersign/sdk": fileURLToPath(new URL("sdk/src/index.ts", import.meta.url)) } },
  test: {
    include: [
      "src/**/*.test.ts",
      "sdk/**/*.test.ts",
      "examples/**/*.test.ts",
      "test/**/*.test.ts",
      "tools/**/*.test.ts",
    ],
    exclude: ["**/node_modules/**", "test/upstream/**", "test/long/**"],
    globalSetup: "test/temporary-directory.ts",
    // One limit for all, and one setting that stretches it: test/patience.ts.
    testTimeout: patient(60_000),
    hookTimeout: patient(120_000),
    expect: { poll: { timeout: patient(10_000) } },
    // No module has a side effect at import, so files may share a process: that saves a third of the time.
    isolate: false,
    // Much of the time is spent waiting for sockets and child processes; one worker per core, also on two cores.
    maxWorkers: availableParallelism(),
  },
});
