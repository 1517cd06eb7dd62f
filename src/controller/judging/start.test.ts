// The first moments of a controller whose API server answers badly.

import { afterAll, beforeAll, expect, it } from "vitest";
import { aCsr } from "../../../test/builders/csr.ts";
import { aTestCa } from "../../../test/builders/tls-pair.ts";
import { startTestApiServer, type TestApiServer } from "../../../test/fakes/api-server.ts";
import { patient } from "../../../test/patience.ts";
import { CSRS } from "../../api/meta/index.ts";
import { Fault } from "../../kernel/outcome/index.ts";
import { systemClock } from "../../platform/clock/index.ts";
import { randomBytes } from "../../platform/keys/index.ts";
import { createKubeClient, type KubeClient } from "../../platform/kube/index.ts";
import { silentLog } from "../../platform/report/index.ts";
import { createController } from "../compose.ts";

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

it("a discovery that fails once at the start costs no second write of a request", async () => {
  const { metadata, spec } = aCsr();
  await client.create(CSRS, { ...aCsr(), metadata: { name: metadata.name ?? "" }, spec });
  // Policies and identities are of one group; the policies are looked for first, and judging waits for them.
  let looks = 0;
  const written: string[] = [];
  const flaky: KubeClient = {
    ...client,
    raw: async (method, path, options) => {
      if (path.includes("countersign.dev")) looks += 1;
      if (path.includes("countersign.dev") && [2, 3].includes(looks)) throw new Fault("unavailable", "try again");
      return await client.raw(method, path, options);
    },
    update: async (resource, object, options) => {
      if (resource === CSRS) written.push(options?.subresource ?? "");
      return await client.update(resource, object, options);
    },
  };
  const stop = new AbortController();
  const running = createController({
    ...{ client: flaky, ca: aTestCa("cluster"), clock: systemClock, random: randomBytes, log: silentLog },
    ...{ replica: "test", controllers: ["approving"] },
  }).run(stop.signal);
  await expect.poll(() => [looks >= 4, written.length > 0], { timeout: patient(15_000) }).toEqual([true, true]);
  await systemClock.sleep(1_500);
  stop.abort();
  await running;
  expect(written).toEqual(["approval"]);
});
