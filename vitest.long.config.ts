import { defineConfig } from "vitest/config";
import { patient } from "./test/patience.ts";

// Soaks and herds: longer than anybody wants to wait for at each change. Their last numbers stand in docs/measurements.md.
export default defineConfig({
  test: {
    include: ["test/long/**/*.test.ts"],
    globalSetup: "test/temporary-directory.ts",
    testTimeout: patient(1_800_000),
    hookTimeout: patient(60_000),
    expect: { poll: { timeout: patient(10_000) } },
    fileParallelism: false,
  },
});
