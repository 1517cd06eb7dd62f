import { defineConfig } from "vitest/config";

// Unit, contract, golden and journey tests; all on loopback and in temporary directories.
export default defineConfig({
  test: {
    include: ["src/**/*.test.ts", "sdk/**/*.test.ts", "test/**/*.test.ts", "tools/**/*.test.ts"],
    exclude: ["**/node_modules/**", "test/upstream/**", "test/long/**"],
    testTimeout: 20_000,
    hookTimeout: 20_000,
  },
});
