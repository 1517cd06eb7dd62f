import { describe, expect, it } from "vitest";
import { aCsr } from "../../../test/builders/csr.ts";
import { callApi } from "../../../test/fakes/api-client.ts";
import { startTestApiServer } from "../../../test/fakes/api-server.ts";
import { createManualClock } from "../../../test/fakes/clock.ts";
import { parseQuery } from "../entry/target.ts";
import { createHealth, healthAnswer } from "./health.ts";

describe("metrics", () => {
  it("count requests by what they were for, and never by what a client made up", async () => {
    const server = await startTestApiServer();
    await callApi(server, { path: "/api/v1/nodes" });
    await callApi(server, { path: "/api/v1/nodes/none" });
    await callApi(server, { path: "/apis/evil.example/v1/things/x" });
    await callApi(server, { path: "/api/v1/made-up" });
    await callApi(server, { method: "BREW", path: "/made-up" }).catch(() => undefined);
    const { text, headers } = await callApi(server, { path: "/metrics" });
    expect(headers["content-type"]).toBe("text/plain; version=0.0.4; charset=utf-8");
    const about = 'group="",version="v1",resource="nodes",subresource=""';
    expect(text).toContain(
      `apiserver_request_total{verb="LIST",${about},scope="cluster",component="apiserver",dry_run="",code="200"} 1`,
    );
    expect(text).toContain(`apiserver_request_duration_seconds_count{verb="LIST",${about},scope="cluster"`);
    expect(text).toMatch(/^apiserver_current_inflight_requests\{request_kind="readOnly"\} 1$/m);
    expect(text).toMatch(/^process_resident_memory_bytes \d+$/m);
    expect(text).not.toMatch(/evil|made-up/);
    await server.close();
  });

  it("tell whether certificates live as long as was asked for", async () => {
    const server = await startTestApiServer();
    const path = "/apis/certificates.k8s.io/v1/certificatesigningrequests";
    // It lives for 25 hours.
    const { certPem } = server.issueClientCertificate({ user: "jane" });
    const issue = async (name: string, asked: { signerName: string; expirationSeconds?: number }) => {
      const { request, usages } = aCsr().spec;
      const sent = { metadata: { name }, spec: { request, usages, ...asked } };
      const { body } = await callApi(server, { method: "POST", path, body: sent });
      const status = { certificate: Buffer.from(certPem).toString("base64") };
      const put = { method: "PUT", path: `${path}/${name}/status`, body: { ...body, status } };
      expect((await callApi(server, put)).status).toBe(200);
    };
    const signerName = "kubernetes.io/kube-apiserver-client";
    await issue("as-asked", { signerName, expirationSeconds: 25 * 3_600 });
    await issue("shorter", { signerName, expirationSeconds: 50 * 3_600 });
    await issue("elsewhere", { signerName: "example.com/signer", expirationSeconds: 25 * 3_600 });
    await issue("not-asked", { signerName });
    const { text } = await callApi(server, { path: "/metrics" });
    expect(text.split("\n").filter((line) => line.startsWith("apiserver_certificates_"))).toEqual([
      `apiserver_certificates_registry_csr_requested_duration_total{signerName="${signerName}"} 2`,
      'apiserver_certificates_registry_csr_requested_duration_total{signerName="other"} 1',
      `apiserver_certificates_registry_csr_honored_duration_total{signerName="${signerName}"} 1`,
      'apiserver_certificates_registry_csr_honored_duration_total{signerName="other"} 1',
    ]);
    await server.close();
  });

  it("are for those who may read them", async () => {
    const server = await startTestApiServer();
    expect((await callApi(server, { path: "/metrics", as: "anonymous" })).status).toBe(403);
    await server.close();
  });
});

describe("health", () => {
  let isWell = true;
  const health = createHealth([{ name: "storage", isHealthy: () => isWell }]);
  const ask = (path: string, query = "") => healthAnswer(health, path.split("/"), parseQuery(query));

  it("is one word, or a list for who asks", () => {
    expect(ask("livez")).toEqual({ kind: "text", status: 200, text: "ok" });
    expect(ask("readyz", "verbose")).toEqual({
      kind: "text",
      status: 200,
      text: "[+]ping ok\n[+]storage ok\n[+]shutdown ok\nreadyz check passed\n",
    });
    expect(ask("livez/storage")).toEqual({ kind: "text", status: 200, text: "ok" });
    expect(ask("livez/shutdown")).toBeUndefined();
    expect(ask("readyz/none")).toBeUndefined();
    expect(ask("version")).toBeUndefined();
  });

  it("fails without saying why, and one check can be left out", () => {
    isWell = false;
    expect(ask("livez")).toMatchObject({
      status: 500,
      text: "[+]ping ok\n[-]storage failed: reason withheld\nlivez check failed\n",
    });
    expect(ask("livez", "exclude=storage")).toMatchObject({ status: 200 });
    isWell = true;
  });
});

describe("a shutdown", () => {
  it("is told by readyz before connections end", async () => {
    const clock = createManualClock(Date.now());
    const server = await startTestApiServer({ clock, more: { shutdownDelayMs: 5_000 } });
    const status = async (path: string) => (await callApi(server, { path })).status;
    expect(await status("/readyz")).toBe(200);
    const closing = server.close();
    expect([await status("/readyz"), await status("/livez"), await status("/version")]).toEqual([500, 200, 200]);
    await clock.advance(5_000);
    await closing;
    await expect(status("/version")).rejects.toThrow();
  });
});
