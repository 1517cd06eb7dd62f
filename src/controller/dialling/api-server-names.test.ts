// Where the API server says that it is: the embedded one keeps the Service and the slice as kube-apiserver does.

import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startTestApiServer, type TestApiServer } from "../../../test/fakes/api-server.ts";
import { createManualClock } from "../../../test/fakes/clock.ts";
import type { EndpointSlice, Service } from "../../api/core/index.ts";
import { ENDPOINT_SLICES, type KubeObject, type Resource, SERVICES } from "../../api/meta/index.ts";
import { Fault } from "../../kernel/outcome/index.ts";
import { createKubeClient, type KubeClient } from "../../platform/kube/index.ts";
import { createApiServerNames } from "./index.ts";

const never = new AbortController().signal;
const meta = { namespace: "default", name: "kubernetes" };
const service: Service = {
  apiVersion: "v1",
  kind: "Service",
  metadata: meta,
  spec: { clusterIPs: ["10.96.0.1", "FD00:96::1"] },
};
const slice: EndpointSlice = {
  apiVersion: "discovery.k8s.io/v1",
  kind: "EndpointSlice",
  metadata: meta,
  endpoints: [{ addresses: ["192.0.2.10"] }, { addresses: ["192.0.2.11"] }],
};

function answering(answers: ReadonlyMap<Resource, KubeObject | Fault>) {
  const asked: Resource[] = [];
  const get = async (resource: Resource) => {
    asked.push(resource);
    const answer = answers.get(resource) ?? new Fault("not-found", "none");
    if (answer instanceof Fault) throw answer;
    return answer;
  };
  return { asked, client: { get } as unknown as Pick<KubeClient, "get"> };
}

describe("the names of the API server", () => {
  it("are those of its Service, of its endpoints, and of the server that we talk to, each in its canonical form", async () => {
    const { client } = answering(
      new Map<Resource, KubeObject>([
        [SERVICES, service],
        [ENDPOINT_SLICES, slice],
      ]),
    );
    const look = createApiServerNames({ client, clock: createManualClock(), server: "https://[FD00:0::A]:6443/path" });
    expect(await look(never)).toEqual({
      kind: "Present",
      value: {
        service: new Set(["10.96.0.1", "fd00:96::1"]),
        hosts: new Set(["192.0.2.10", "192.0.2.11", "fd00::a"]),
      },
    });
  });

  it("are read once a minute, and again at once after a failure", async () => {
    const clock = createManualClock();
    const answers = new Map<Resource, KubeObject | Fault>([[SERVICES, new Fault("forbidden", "no right")]]);
    const { client, asked } = answering(answers);
    const look = createApiServerNames({ client, clock, server: "https://API.example.com:6443" });
    expect(await look(never)).toMatchObject({ kind: "NotRead", why: expect.stringContaining("no right") });
    answers.set(SERVICES, service);
    expect(await look(never)).toMatchObject({ value: { hosts: new Set(["api.example.com"]) } });
    const before = asked.length;
    await look(never);
    expect(asked.length).toBe(before);
    await clock.advance(60_000);
    await look(never);
    expect(asked.length).toBe(before + 2);
  });

  describe("of a server that runs", () => {
    let server: TestApiServer;
    beforeAll(async () => {
      server = await startTestApiServer();
    });
    afterAll(() => server.close());

    it("are found where every API server keeps them", async () => {
      const { url, caPem, adminCertPem, adminKeyPem } = server;
      const credentials = () => ({ certPem: adminCertPem, keyPem: adminKeyPem });
      const client = createKubeClient({ server: url, caPem, credentials });
      const seen = await createApiServerNames({ client, clock: createManualClock(), server: url })(never);
      const { service, hosts } = seen.kind === "Present" ? seen.value : { service: new Set(), hosts: new Set() };
      expect(service.size).toBeGreaterThan(0);
      expect([...hosts]).toContain("127.0.0.1");
      await client.close();
    });
  });
});
