import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { callApi, type Received } from "../../../test/fakes/api-client.ts";
import { startTestApiServer, type TestApiServer } from "../../../test/fakes/api-server.ts";

let server: TestApiServer;
beforeAll(async () => {
  server = await startTestApiServer();
});
afterAll(() => server.close());

const SERVICES = "/api/v1/namespaces/default/services";
const create = (name: string, spec: object): Promise<Received> =>
  callApi(server, {
    method: "POST",
    path: SERVICES,
    body: { metadata: { name }, spec: { ports: [{ port: 80 }], ...spec } },
  });

describe("Services that are made at the same moment", () => {
  it("get different addresses and node ports", async () => {
    const names = Array.from({ length: 20 }, (_one, at) => `s${at}`);
    const made = await Promise.all(names.map((name) => create(name, { type: "NodePort" })));
    expect(made.map(({ status }) => status)).toEqual(names.map(() => 201));
    expect(new Set(made.map(({ body }) => body.spec.clusterIP)).size).toBe(names.length);
    expect(new Set(made.map(({ body }) => body.spec.ports[0].nodePort)).size).toBe(names.length);
  });

  it("do not get the same address when they ask for it", async () => {
    const made = await Promise.all(["a", "b", "c"].map((name) => create(name, { clusterIP: "10.96.0.50" })));
    expect(made.map(({ status }) => status).sort()).toEqual([201, 422, 422]);
  });

  it("do not wait for one that is refused", async () => {
    const [bad, good] = await Promise.all([create("bad", { ports: [] }), create("good", {})]);
    expect([bad?.status, good?.status]).toEqual([422, 201]);
  });

  it("leave the address of the API server alone", async () => {
    const { body } = await callApi(server, { path: `${SERVICES}/kubernetes` });
    expect(body.spec.clusterIP).toBe("10.96.0.1");
  });
});
