// A handful of Kubernetes' own end-to-end tests on the embedded server, one for each thing that they once found
// missing. All of them: test/long/e2e.test.ts.

import { afterAll, beforeAll, expect, it } from "vitest";
import { ensureE2e } from "./assets/e2e/build.mjs";
import { HELD } from "./e2e/selection.ts";
import { runE2e } from "./harness/e2e.ts";
import { type ControlPlane, startEmbedded } from "./harness/index.ts";

/** With a warm cache of Go the program is built within minutes. */
const BUILD_LIMIT_MS = 900_000;
const LIMIT_MS = 170_000;

const SHOWN: readonly RegExp[] = [
  /Certificates API .* CSR API operations/,
  /NodeAuthorizer\] A node shouldn't be able to create another node/,
  /works for CRD with validation schema/,
  /works for CRD preserving unknown fields at the schema root/,
  /storage version hash/,
  /not be blocked by dependency circle/,
  /non-existent RuntimeClass/,
  /should reject invalid sysctls/,
  /Endpoints and EndpointSlices pointing to API Server/,
  /metrics slis from API server/,
];

/** Endpoints lead nowhere on loopback; this address is never dialled. */
const ADVERTISED = ["--advertise-address", "203.0.113.10"];

let plane: ControlPlane;
beforeAll(async () => {
  await ensureE2e();
  plane = await startEmbedded(ADVERTISED);
}, BUILD_LIMIT_MS);
afterAll(() => plane?.stop());

it("tests that Kubernetes wrote for itself pass on the embedded server", async () => {
  const names = SHOWN.flatMap((pattern) => HELD.filter((name) => pattern.test(name)));
  expect(names).toHaveLength(SHOWN.length);
  const results = await runE2e(plane, { names, limitMs: LIMIT_MS });
  expect(results.filter(({ state }) => state !== "passed")).toEqual([]);
  expect(results.map(({ name }) => name).sort()).toEqual([...names].sort());
});
