// The fence around both clusters, on a real Lease: writes pass while this replica leads, whichever API server takes
// them.

import { afterAll, beforeAll, expect, it } from "vitest";
import { aRecordingClient } from "../../test/builders/csr-client.ts";
import { startTestApiServer, type TestApiServer } from "../../test/fakes/api-server.ts";
import type { Secret } from "../api/core/index.ts";
import { SECRETS } from "../api/meta/index.ts";
import { systemClock, systemMonotonicMs } from "../platform/clock/index.ts";
import { createKubeClient, type KubeClient, LEASE_TIMING } from "../platform/kube/index.ts";
import { silentLog } from "../platform/report/index.ts";
import { createLeadership } from "./leadership.ts";

let server: TestApiServer;
let client: KubeClient;
beforeAll(async () => {
  server = await startTestApiServer();
  const credentials = () => ({ certPem: server.adminCertPem, keyPem: server.adminKeyPem });
  client = createKubeClient({ server: server.url, caPem: server.caPem, credentials });
});
afterAll(async () => {
  await client.close();
  await server.close();
});

const secret: Secret = { apiVersion: "v1", kind: "Secret", metadata: { namespace: "default", name: "s" } };

it("lets a write to another cluster pass while this replica leads, and neither before nor after", async () => {
  const election = { namespace: "default", name: "lease", timing: LEASE_TIMING, monotonicMs: systemMonotonicMs };
  const leadership = createLeadership({
    ...{ client, clock: systemClock, random: Math.random, log: silentLog, replica: "one", election },
  });
  const other = aRecordingClient();
  const management = leadership.fence(other);
  const aborted = expect.objectContaining({ code: "aborted" });
  await expect(management.create(SECRETS, secret)).rejects.toEqual(aborted);
  const stop = new AbortController();
  await leadership.run(async () => {
    await management.create(SECRETS, secret);
    stop.abort();
  }, stop.signal);
  await expect(management.create(SECRETS, secret)).rejects.toEqual(aborted);
  expect(other.written).toHaveLength(1);
});

it("fences nothing where there is no other replica", () => {
  const other = aRecordingClient();
  const alone = { client, clock: systemClock, random: Math.random, log: silentLog, replica: "one" };
  expect(createLeadership({ ...alone, election: undefined }).fence(other)).toBe(other);
});
