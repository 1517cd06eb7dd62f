// What a server tells about itself, and about where it is.

import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { callApi } from "../../test/fakes/api-client.ts";
import { startTestApiServer, type TestApiServer } from "../../test/fakes/api-server.ts";

let server: TestApiServer;
beforeAll(async () => {
  server = await startTestApiServer({ controllers: true, more: { advertiseAddress: "203.0.113.10" } });
});
afterAll(() => server.close());

const get = (path: string) => callApi(server, { path });

describe("the root", () => {
  it("lists the paths there are", async () => {
    const { status, body } = await get("/");
    expect(status).toBe(200);
    expect(body.paths).toEqual([...body.paths].sort());
    for (const path of ["/api/v1", "/apis/certificates.k8s.io", "/apis/certificates.k8s.io/v1", "/metrics/slis"])
      expect(body.paths).toContain(path);
    for (const path of body.paths) expect([path, (await get(path)).status]).toEqual([path, 200]);
  });

  it("needs a right", async () => {
    expect((await callApi(server, { path: "/", as: "anonymous" })).status).toBe(403);
  });
});

describe("/metrics/slis", () => {
  it("tells the results of the checks, also when no health request came before", async () => {
    const { text } = await get("/metrics/slis");
    expect(text).toContain('kubernetes_healthcheck{name="storage",type="readyz"} 1');
    expect(text).toMatch(/kubernetes_healthchecks_total\{name="ping",status="success",type="readyz"\} \d/);
  });
});

describe("legacy discovery", () => {
  it("has a hash of the version in which objects are stored, and none for what is not stored", async () => {
    const { body } = await get("/api/v1");
    const of = (name: string) => body.resources.find((one: { name: string }) => one.name === name);
    // As every kube-apiserver says it.
    expect(of("pods").storageVersionHash).toBe("xPOwRZ+Yhw8=");
    for (const name of ["pods/status", "bindings"]) expect(of(name)).not.toHaveProperty("storageVersionHash");
  });
});

describe("the Service kubernetes", () => {
  it("leads to this server", async () => {
    const ip = "203.0.113.10";
    const { port } = server;
    const endpoints = await get("/api/v1/namespaces/default/endpoints/kubernetes");
    const ports = [{ name: "https", port, protocol: "TCP" }];
    expect(endpoints.body.subsets).toEqual([{ addresses: [{ ip }], ports }]);
    const slice = await get("/apis/discovery.k8s.io/v1/namespaces/default/endpointslices/kubernetes");
    expect(slice.body).toMatchObject({ addressType: "IPv4", endpoints: [{ addresses: [ip] }], ports });
    expect(slice.body.metadata.labels).toEqual({ "kubernetes.io/service-name": "kubernetes" });
  });
});
