// The token commands against the embedded server.

import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { writeAdminKubeconfig } from "../../../../test/builders/kubeconfig-file.ts";
import { callApi } from "../../../../test/fakes/api-client.ts";
import { startTestApiServer, type TestApiServer } from "../../../../test/fakes/api-server.ts";
import { aProcess } from "../../../../test/fakes/process-edge.ts";
import { encodeKubeconfig } from "../../../api/kubeconfig/index.ts";
import { parseCertificates } from "../../../kernel/x509/index.ts";
import { caPinOf } from "../../../node/index.ts";
import { countersign, runProgram } from "../../index.ts";

const TOKEN = /^[a-z0-9]{6}\.[a-z0-9]{16}\n$/;
const base64 = (text: string) => Buffer.from(text).toString("base64");

let server: TestApiServer;
let directory: string;
let kubeconfig: string;
beforeAll(async () => {
  server = await startTestApiServer();
  directory = await mkdtemp(join(tmpdir(), "countersign-token-"));
  kubeconfig = writeAdminKubeconfig(join(directory, "admin.conf"), server);
  const cluster = { server: server.url, "certificate-authority-data": base64(server.caPem) };
  const info = encodeKubeconfig({ clusters: [{ name: "", cluster }], users: [], contexts: [], currentContext: "" });
  const body = { metadata: { name: "cluster-info" }, data: { kubeconfig: info } };
  await callApi(server, { method: "POST", path: "/api/v1/namespaces/kube-public/configmaps", body });
});
afterAll(async () => {
  await server.close();
  await rm(directory, { recursive: true });
});

async function run(...argv: string[]) {
  const { edge, written } = aProcess({ env: { KUBECONFIG: kubeconfig } });
  const exit = await runProgram(countersign, ["token", ...argv], edge);
  return { exit, ...written };
}

async function storedSecret(id: string) {
  const { body } = await callApi(server, { path: `/api/v1/namespaces/kube-system/secrets/bootstrap-token-${id}` });
  const entries = Object.entries<string>(body.data ?? {});
  return Object.fromEntries(entries.map(([key, value]) => [key, Buffer.from(value, "base64").toString()]));
}

describe("countersign token create", () => {
  it("stores what kubeadm stores: a day, both usages, kubeadm's group", async () => {
    const { exit, out } = await run("create");
    expect(exit).toBe(0);
    expect(out).toMatch(TOKEN);
    const [id = "", secret] = out.trim().split(".");
    const { expiration = "", ...rest } = await storedSecret(id);
    expect(rest).toEqual({
      "token-id": id,
      "token-secret": secret,
      "auth-extra-groups": "system:bootstrappers:kubeadm:default-node-token",
      "usage-bootstrap-authentication": "true",
      "usage-bootstrap-signing": "true",
    });
    expect(expiration).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/);
    expect(Math.abs(Date.parse(expiration) - Date.now() - 86_400_000)).toBeLessThan(60_000);
  });

  it("stores what was asked for", async () => {
    const asked = ["--ttl", "0", "--usages", "signing", "--groups", "system:bootstrappers:a,system:bootstrappers:b"];
    await run("create", "abcdef.0123456789abcdef", ...asked, "--description", "for the lab");
    expect(await storedSecret("abcdef")).toEqual({
      "token-id": "abcdef",
      "token-secret": "0123456789abcdef",
      "auth-extra-groups": "system:bootstrappers:a,system:bootstrappers:b",
      "usage-bootstrap-signing": "true",
      description: "for the lab",
    });
  });

  it.each<[string, string[], string]>([
    ["an unknown usage", ["--usages", "everything"], "--usages"],
    ["a foreign group", ["--groups", "system:masters"], "system:masters"],
    ["a time that is none", ["--ttl", "soon"], "--ttl"],
    ["a token that is none", ["not-a-token"], "not of the form"],
    ["an unknown tool", ["--print-join-command", "--for", "rke"], "--for"],
  ])("refuses %s and stores nothing", async (_what, words, message) => {
    const { exit, err } = await run("create", ...words);
    expect(exit).not.toBe(0);
    expect(err).toContain(message);
  });

  it("prints the whole command for either tool, with address and pin of cluster-info", async () => {
    const [pin] = parseCertificates(server.caPem).map(caPinOf);
    for (const [tool, name] of [
      ["countersign", "countersign node join"],
      ["kubeadm", "kubeadm join"],
    ] as const) {
      const { out } = await run("create", "--print-join-command", "--for", tool);
      const [, token = ""] = / --token (\S+) /.exec(out) ?? [];
      expect(`${token}\n`).toMatch(TOKEN);
      const words = `${name} 127.0.0.1:${server.port} --token ${token} --discovery-token-ca-cert-hash ${pin}\n`;
      expect(out).toBe(words);
    }
  });

  it("speaks JSON", async () => {
    const { out } = await run("create", "-o", "json", "--print-join-command");
    const told = JSON.parse(out);
    expect(`${told.token}\n`).toMatch(TOKEN);
    expect(told).toMatchObject({
      usages: ["authentication", "signing"],
      joinCommand: expect.stringContaining("--token"),
    });
  });
});

describe("countersign token list, show and revoke", () => {
  it("list shows everything but secrets, and no control characters of others", async () => {
    await run("create", "fedcba.fedcbafedcbafedc", "--description", "evil\u001b[2J", "--ttl", "72h");
    const { out } = await run("list");
    expect(out).toMatch(/^ID +TTL +EXPIRES +USAGES +DESCRIPTION +GROUPS\n/);
    expect(out).toMatch(/^fedcba +2d /m);
    expect(out).toMatch(/^abcdef +<forever> +<never> +signing +for the lab +system:bootstrappers:a,/m);
    expect(out).not.toContain("fedcbafedcbafedc");
    expect(out).not.toContain("\u001b");
    const listed = JSON.parse((await run("list", "-o", "json")).out);
    expect(listed.find(({ id }: { id: string }) => id === "fedcba")).toMatchObject({ groups: [expect.any(String)] });
    expect(JSON.stringify(listed)).not.toContain("fedcbafedcbafedc");
  });

  it("show shows one with its secret", async () => {
    expect((await run("show", "fedcba")).out).toContain("fedcba.fedcbafedcbafedc");
    expect(JSON.parse((await run("show", "abcdef", "-o", "json")).out)).toEqual({
      id: "abcdef",
      token: "abcdef.0123456789abcdef",
      description: "for the lab",
      expires: null,
      usages: ["signing"],
      groups: ["system:bootstrappers:a", "system:bootstrappers:b"],
    });
    expect((await run("show", "nobody")).exit).not.toBe(0);
  });

  it("revoke ends it, named by id or whole; what is almost a token is not repeated", async () => {
    expect((await run("revoke", "fedcba")).out).toBe("token fedcba revoked\n");
    expect((await run("revoke", "abcdef.0123456789abcdef", "-o", "json")).out).toBe('{"revoked":"abcdef"}\n');
    expect(await storedSecret("abcdef")).toEqual({});
    expect((await run("revoke", "abcdef")).exit).not.toBe(0);
    const wrong = await run("revoke", "abcdef.0123456789abcde");
    expect(wrong.exit).toBe(78);
    expect(wrong.err).not.toContain("0123456789abcde");
  });
});
