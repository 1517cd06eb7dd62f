import { defineConfig } from "vitest/config";

// Soaks and herds: longer than anybody wants to wait for at each change. Their last numbers stand in docs/measurements.md.
export default defineConfig({
  test: {
    include: ["test/long/**/*.test.ts"],
    globalSetup: "test/temporary-directory.ts",
    testTimeout: 1_800_000,
    hookTimeout: 60_000,
    fileParallelism: false,
  },
});
