import { defineConfig } from "vitest/config";

// Tests against real Kubernetes binaries. One file at a time: each starts servers of its own and two cores are few.
export default defineConfig({
  test: {
    include: ["test/upstream/**/*.test.ts"],
    globalSetup: "test/temporary-directory.ts",
    testTimeout: 180_000,
    hookTimeout: 180_000,
    fileParallelism: false,
  },
});
