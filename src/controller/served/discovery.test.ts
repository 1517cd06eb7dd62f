import { describe, expect, it } from "vitest";
import { startTestApiServer } from "../../../test/fakes/api-server.ts";
import { createKubeClient } from "../../platform/kube/index.ts";
import { type Discovering, getPreferredVersion, listServed } from "./discovery.ts";

const answering = (status: number, body: string): Discovering => ({
  raw: async () => ({ status, body: Buffer.from(body) }),
});
const CAPI = { group: "cluster.x-k8s.io", version: "v1beta2" };
const ask = (status: number, body: string) => listServed(answering(status, body), CAPI);
const refusal = (reason: string, code: number) =>
  JSON.stringify({ kind: "Status", apiVersion: "v1", status: "Failure", reason, code, message: `${reason} it is` });
const PAGE = "\n<!DOCTYPE html><html><title>Sign in</title></html>";

describe("discovery", () => {
  it("names the kinds of a version, without their subresources", async () => {
    const resources = [
      { name: "machines", kind: "Machine", namespaced: true, verbs: ["get"] },
      { name: "machines/status", kind: "Machine", namespaced: true },
      { name: 7 },
      null,
    ];
    expect(await ask(200, JSON.stringify({ resources }))).toMatchObject([{ name: "machines", namespaced: true }]);
    expect(await ask(200, JSON.stringify({ resources: null }))).toEqual([]);
  });

  it("knows what an API server serves, in which version, and what it does not serve", async () => {
    const server = await startTestApiServer();
    const credentials = () => ({ certPem: server.adminCertPem, keyPem: server.adminKeyPem });
    const client = createKubeClient({ server: server.url, caPem: server.caPem, credentials });
    const group = "certificates.k8s.io";
    expect(await getPreferredVersion(client, group)).toBe("v1");
    expect((await listServed(client, { group, version: "v1" }))?.map(({ kind }) => kind)).toContain(
      "CertificateSigningRequest",
    );
    expect(await listServed(client, { group, version: "v7" })).toBeUndefined();
    expect(await getPreferredVersion(client, "nobody.example")).toBeUndefined();
    await client.close();
    await server.close();
  });

  it.each<[string, string, number, string]>([
    ["an API server's words", refusal("NotFound", 404), 404, "served: undefined"],
    ["plain words", "404 page not found\n", 404, "served: undefined"],
    ["a proxy's page", PAGE, 404, "unavailable"],
  ])("believes 404 where it comes with %s, else not", async (_, body, status, expected) => {
    const outcome = ask(status, body).then(
      (served) => `served: ${served}`,
      ({ code }) => code,
    );
    expect(await outcome).toBe(expected);
  });

  it.each<[string, [number, string], [string, string]]>([
    ["a missing right", [403, refusal("Forbidden", 403)], ["forbidden", "Forbidden it is"]],
    ["a proxy's refusal", [403, PAGE], ["forbidden", "server answered 403"]],
    ["an outage", [503, "no healthy upstream"], ["unavailable", "no healthy upstream"]],
    ["a busy server", [429, refusal("TooManyRequests", 429)], ["too-many-requests", "TooManyRequests it is"]],
    ["a page where a list should be", [200, PAGE], ["malformed", "must answer with JSON"]],
    ["another value", [200, "[]"], ["malformed", "must answer with an object"]],
    ["another list", [200, '{"resources":{}}'], ["malformed", "must answer with a list of resources"]],
    ["a flood of bytes", [200, " ".repeat(1_100_000)], ["limit-exceeded", "more than 1048576 bytes"]],
    ["a flood of kinds", [200, `{"resources":[${"0,".repeat(3_000)}0]}`], ["limit-exceeded", "more than 3000"]],
  ])("takes %s for what it is, never for absence", async (_, [status, body], [code, words]) => {
    await expect(ask(status, body)).rejects.toMatchObject({ code, message: expect.stringContaining(words) });
  });

  it.each([[{ ...CAPI, group: "../api/v1/secrets" }], [{ ...CAPI, version: "../../v1" }]])(
    "asks for nothing else under the name of %o",
    async (wanted) => {
      const unasked: Discovering = { raw: () => Promise.reject(new Error("asked")) };
      await expect(listServed(unasked, wanted)).rejects.toMatchObject({ code: "malformed" });
    },
  );

  it("wants a preferred version of a group", async () => {
    await expect(getPreferredVersion(answering(200, "{}"), CAPI.group)).rejects.toMatchObject({ code: "malformed" });
  });
});
