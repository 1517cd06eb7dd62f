import { defineConfig } from "vitest/config";
import { patient } from "./test/patience.ts";

const shared = {
  testTimeout: patient(400_000),
  hookTimeout: patient(400_000),
  expect: { poll: { timeout: patient(10_000) } },
  fileParallelism: false,
};

/** What real kubelets do whose age differs. The project of the present release has longer suites of the same journeys. */
const KUBELETS = "test/upstream/kubelets.test.ts";

/** What our programs do on an API server, as far as it is quick. */
const ON_API_SERVER = [
  "attestation-guard",
  "attestation.contract",
  "controller.contract",
  "deploy",
  "discovery-client",
  "gateway",
  "join",
  "policies.contract",
].map((name) => `test/upstream/${name}.test.ts`);

// Tests against real Kubernetes binaries. One file at a time: each starts servers of its own and two cores are few.
// The projects differ in the age of two programs (test/upstream/harness/releases.ts).
export default defineConfig({
  test: {
    globalSetup: "test/temporary-directory.ts",
    fileParallelism: false,
    projects: [
      { test: { ...shared, name: "present", include: ["test/upstream/**/*.test.ts"], exclude: [KUBELETS] } },
      { test: { ...shared, name: "older kubelet", include: [KUBELETS], env: { COUNTERSIGN_KUBELET: "older" } } },
      {
        test: {
          ...shared,
          name: "older Kubernetes",
          include: [KUBELETS, ...ON_API_SERVER],
          env: { COUNTERSIGN_KUBELET: "older", COUNTERSIGN_KUBE_APISERVER: "older" },
        },
      },
    ],
  },
});
