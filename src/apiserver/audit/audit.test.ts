// The audit log of the real server: who did what at which level, and never a secret, whatever the policy says.

import { mkdtemp, readdir, readFile, rename, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { aCsr } from "../../../test/builders/csr.ts";
import { callApi, type Sent, watchApi } from "../../../test/fakes/api-client.ts";
import { startTestApiServer, type TestApiServer } from "../../../test/fakes/api-server.ts";
import { systemClock } from "../../platform/clock/index.ts";
import { NO_REQUEST_INFO, type RequestInfo } from "../entry/request-info.ts";
import { openAuditLog, outdated } from "./log-file.ts";
import { type AuditPolicy, decide, parsePolicy } from "./policy.ts";

const CORE = "/api/v1/namespaces/default";
const EVERYTHING: AuditPolicy = { rules: [{ level: "RequestResponse" }] };

interface Line {
  readonly level: string;
  readonly stage: string;
  readonly verb: string;
  readonly requestURI: string;
  readonly user: { readonly username: string };
  readonly impersonatedUser?: { readonly username: string };
  readonly objectRef?: Readonly<Record<string, string>>;
  readonly responseStatus?: { readonly code: number; readonly message?: string; readonly reason?: string };
  readonly requestObject?: Readonly<Record<string, unknown>>;
  readonly responseObject?: Readonly<Record<string, unknown>>;
  readonly annotations?: Readonly<Record<string, string>>;
}

let server: TestApiServer | undefined;
afterEach(async () => {
  await server?.close();
  server = undefined;
});

async function start(policy?: AuditPolicy) {
  const written: string[] = [];
  const audit = { write: (line: string) => void written.push(line), ...(policy === undefined ? {} : { policy }) };
  const started = await startTestApiServer({ more: { audit } });
  server = started;
  return {
    server: started,
    call: (sent: Sent) => callApi(started, sent),
    text: () => written.join(""),
    lines: () => written.map((line): Line => JSON.parse(line)),
  };
}

describe("an audit line", () => {
  it("says who did what and how it ended, without bodies by default", async () => {
    const { call, lines } = await start();
    await call({ method: "POST", path: `${CORE}/configmaps`, body: { metadata: { name: "one" }, data: { a: "b" } } });
    expect(lines()).toEqual([
      expect.objectContaining({
        kind: "Event",
        apiVersion: "audit.k8s.io/v1",
        level: "Metadata",
        stage: "ResponseComplete",
        verb: "create",
        requestURI: `${CORE}/configmaps`,
        sourceIPs: [expect.stringMatching(/127\.0\.0\.1$/)],
        requestReceivedTimestamp: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/),
        responseStatus: { metadata: {}, code: 201 },
      }),
    ]);
    const [line] = lines();
    expect(line?.user.username).toBe("kubernetes-admin");
    expect(line?.objectRef).toMatchObject({
      resource: "configmaps",
      namespace: "default",
      name: "one",
      apiVersion: "v1",
    });
    expect(line?.annotations?.["authorization.k8s.io/decision"]).toBe("allow");
    expect(Object.keys(line ?? {})).not.toContain("requestObject");
  });

  it("is written for a bad credential and for a refusal", async () => {
    const { call, lines, server: started } = await start();
    await call({ path: "/api/v1/nodes", as: { token: "abcdef.0123456789abcdef" } });
    await call({ path: "/api/v1/nodes", as: started.issueClientCertificate({ user: "jane" }) });
    const [bad, refused] = lines();
    expect([bad?.user.username, bad?.responseStatus?.code]).toEqual(["", 401]);
    expect([refused?.user.username, refused?.responseStatus?.reason]).toEqual(["jane", "Forbidden"]);
    expect(refused?.annotations?.["authorization.k8s.io/decision"]).toBe("forbid");
  });

  it("names both the caller and the impersonated user", async () => {
    const { call, lines } = await start();
    await call({ path: "/version", headers: { "impersonate-user": "bob" } });
    expect([lines()[0]?.user.username, lines()[0]?.impersonatedUser?.username]).toEqual(["kubernetes-admin", "bob"]);
  });

  it("of a watch comes at its beginning and at its end", async () => {
    const { lines, server: started } = await start();
    for await (const _event of watchApi(started, { path: "/api/v1/namespaces?watch=1&timeoutSeconds=1" }));
    while (lines().length < 2) await new Promise((resolve) => setImmediate(resolve));
    expect(lines().map(({ stage }) => stage)).toEqual(["ResponseStarted", "ResponseComplete"]);
  });

  it("holds the bodies that the policy asks for", async () => {
    const rules = [{ level: "RequestResponse" as const, resources: [{ group: "", resources: ["nodes"] }] }];
    const { call, lines } = await start({ rules });
    await call({ method: "POST", path: "/api/v1/nodes", body: { metadata: { name: "n1" } } });
    await call({ path: "/version" });
    expect(lines().map(({ stage }) => stage)).toEqual(["RequestReceived", "ResponseComplete"]);
    expect(lines()[1]?.requestObject).toEqual({ metadata: { name: "n1" } });
    expect(lines()[1]?.responseObject).toMatchObject({ kind: "Node", metadata: { name: "n1" } });
  });
});

describe("a secret is never in the log, even when the policy asks for everything", () => {
  it("not of Secrets and ConfigMaps, in whatever way they are written", async () => {
    const { call, text, lines } = await start(EVERYTHING);
    const value = Buffer.from("hunter2-hunter2").toString("base64");
    for (const plural of ["secrets", "configmaps"]) {
      const path = `${CORE}/${plural}`;
      await call({ method: "POST", path, body: { metadata: { name: "s" }, data: { password: value } } });
      await call({ path: `${path}/s` });
      await call({ path });
      const patch = { metadata: { annotations: { note: value } }, data: { other: value } };
      const headers = { "content-type": "application/merge-patch+json" };
      await call({ method: "PATCH", path: `${path}/s`, body: patch, headers });
      const steps = [{ op: "add", path: "/data/third", value }];
      await call({
        method: "PATCH",
        path: `${path}/s`,
        body: steps,
        headers: { "content-type": "application/json-patch+json" },
      });
      await call({ method: "POST", path, body: { metadata: { name: value }, data: { "bad key!": value } } });
      await call({ method: "DELETE", path: `${path}/s` });
    }
    expect(text()).not.toContain(value);
    expect(text()).not.toContain("hunter2");
    expect(new Set(lines().map(({ level }) => level))).toEqual(new Set(["Metadata"]));
  });

  it("not of tokens that are made, shown or reviewed", async () => {
    const { call, text } = await start(EVERYTHING);
    await call({ method: "POST", path: `${CORE}/serviceaccounts`, body: { metadata: { name: "robot" } } });
    const made = await call({ method: "POST", path: `${CORE}/serviceaccounts/robot/token`, body: {} });
    const { token } = made.body.status;
    await call({ path: "/version", as: { token } });
    await call({ path: "/version", as: { token: `${token}x` } });
    await call({ method: "POST", path: "/apis/authentication.k8s.io/v1/tokenreviews", body: { spec: { token } } });
    expect(text()).not.toContain(token.split(".")[2]);
    expect(text()).not.toContain("eyJ");
  });

  it("not of what comes with a certificate request beside the request", async () => {
    const { call, text, lines } = await start(EVERYTHING);
    const csr = aCsr();
    const evidence =
      "-----BEGIN KUBELET AUTHENTICATOR ATTESTATION DATA-----\nc2VjcmV0IGV2aWRlbmNl\n-----END KUBELET AUTHENTICATOR ATTESTATION DATA-----\n";
    const pem = Buffer.from(csr.spec.request, "base64").toString();
    const request = Buffer.from(`${pem}${evidence}`).toString("base64");
    const path = "/apis/certificates.k8s.io/v1/certificatesigningrequests";
    const body = { metadata: { name: "c" }, spec: { ...csr.spec, request } };
    expect((await call({ method: "POST", path, body })).status).toBe(201);
    await call({ path });
    await call({ method: "POST", path, body: { ...body, spec: { ...body.spec, usages: [] } } });
    const secret = Buffer.from(evidence).toString("base64").slice(12, 60);
    expect(text()).not.toContain(secret);
    const created = lines().find((line) => line.verb === "create" && line.stage === "ResponseComplete");
    const { request: shown = "" } = (created?.requestObject?.["spec"] ?? {}) as { request?: string };
    expect(Buffer.from(shown, "base64").toString().trim()).toBe(pem.trim());
  });
});

describe("a policy", () => {
  const info = (more: Partial<RequestInfo>): RequestInfo => ({ ...NO_REQUEST_INFO, isResource: true, ...more });
  const jane = { username: "jane", groups: ["staff"] };
  const policy = parsePolicy({
    apiVersion: "audit.k8s.io/v1",
    kind: "Policy",
    omitStages: ["RequestReceived"],
    rules: [
      { level: "None", users: ["system:kube-proxy"] },
      { level: "None", nonResourceURLs: ["/healthz*", "/version"] },
      { level: "Request", resources: [{ group: "", resources: ["pods/status", "*/scale"] }] },
      {
        level: "RequestResponse",
        resources: [{ group: "", resources: ["pods"], resourceNames: ["p1"] }],
        namespaces: ["a"],
      },
      { level: "Metadata", userGroups: ["staff"], verbs: ["delete"], omitStages: ["ResponseStarted"] },
    ],
  });

  const cases: Readonly<Record<string, [ReturnType<typeof info>, string]>> = {
    "a URL under a star": [{ ...info({}), isResource: false, path: "/healthz/ping" }, "None"],
    "a subresource by its name": [info({ resource: "pods", subresource: "status" }), "Request"],
    "a subresource of anything": [info({ resource: "replicationcontrollers", subresource: "scale" }), "Request"],
    "a name in its namespace": [info({ resource: "pods", name: "p1", namespace: "a" }), "RequestResponse"],
    "a name elsewhere": [info({ resource: "pods", name: "p1", namespace: "b" }), "None"],
    "another group's pods": [info({ group: "x", resource: "pods", name: "p1", namespace: "a" }), "None"],
    "a group of users and a verb": [info({ resource: "nodes", verb: "delete" }), "Metadata"],
    "nothing that matches": [info({ resource: "nodes", verb: "get" }), "None"],
  };
  it.each(Object.entries(cases))("decides about %s", (_name, [asked, level]) => {
    expect(decide(policy, jane, asked).level).toBe(level);
  });

  it("adds the stages that a rule leaves out to its own", () => {
    expect(decide(policy, jane, info({ verb: "delete", resource: "nodes" })).omitStages).toEqual([
      "RequestReceived",
      "ResponseStarted",
    ]);
  });

  const wrong: Readonly<Record<string, unknown>> = {
    "no Policy": { kind: "Other", apiVersion: "audit.k8s.io/v1", rules: [{ level: "None" }] },
    "no rules": { kind: "Policy", apiVersion: "audit.k8s.io/v1", rules: [] },
    "an unknown level": { kind: "Policy", apiVersion: "audit.k8s.io/v1", rules: [{ level: "All" }] },
    "users that are no list": { kind: "Policy", apiVersion: "audit.k8s.io/v1", rules: [{ level: "None", users: "x" }] },
    "URLs and resources": {
      kind: "Policy",
      apiVersion: "audit.k8s.io/v1",
      rules: [{ level: "None", nonResourceURLs: ["/x"], resources: [{ group: "" }] }],
    },
  };
  it.each(Object.entries(wrong))("is refused: %s", (_name, value) => {
    expect(() => parsePolicy(value)).toThrow(expect.objectContaining({ code: "bad-config" }) as Error);
  });
});

/** Each look is a second later. */
function tickingClock() {
  let nowMs = Date.UTC(2026, 0, 31, 12);
  return { ...systemClock, now: () => (nowMs += 1_000) };
}

describe("the log file", () => {
  it("is put aside when it has its size, and only the newest old ones stay", async () => {
    const folder = await mkdtemp(join(tmpdir(), "audit-"));
    const path = join(folder, "audit.log");
    await writeFile(join(folder, "audit-notes.log"), "not of this log");
    await writeFile(join(folder, "audit-2025-12-01T00-00-00.000.log"), "old\n");
    const rotation = { maxBytes: 1_000, maxBackups: 3, maxAgeMs: 30 * 24 * 3_600_000 };
    const log = await openAuditLog({ path, rotation, clock: tickingClock(), onTrouble: () => expect.unreachable() });
    for (let at = 0; at < 1_000; at++) log.write(`line ${String(at).padStart(4, "0")}\n`);
    await log.close();
    const files = (await readdir(folder)).sort();
    expect(files).toEqual([
      "audit-2026-01-31T12-00-07.000.log",
      "audit-2026-01-31T12-00-08.000.log",
      "audit-2026-01-31T12-00-09.000.log",
      "audit-notes.log",
      "audit.log",
    ]);
    const kept = await Promise.all(
      [...files.slice(0, 3), "audit.log"].map((file) => readFile(join(folder, file), "utf8")),
    );
    expect(kept.map((text) => text.length)).toEqual([1_000, 1_000, 1_000, 1_000]);
    expect(kept.join("").trim().split("\n")).toEqual(
      Array.from({ length: 400 }, (_, at) => `line ${String(600 + at).padStart(4, "0")}`),
    );
    expect((await stat(path)).mode & 0o777).toBe(0o600);
  });

  it("removes what is too old, and nothing when neither number nor age is bounded", () => {
    const day = 24 * 3_600_000;
    const files = ["a-2026-01-01T00-00-00.000.log", "a-2026-01-20T00-00-00.000.log", "b-2020-01-01T00-00-00.000.log"];
    const at = { maxBytes: 1, nowMs: Date.UTC(2026, 0, 31) };
    expect(outdated("/x/a.log", files, { ...at, maxBackups: 0, maxAgeMs: 15 * day })).toEqual([files[0]]);
    expect(outdated("/x/a.log", files, { ...at, maxBackups: 1, maxAgeMs: 0 })).toEqual([files[0]]);
    expect(outdated("/x/a.log", files, { ...at, maxBackups: 0, maxAgeMs: 0 })).toEqual([]);
  });

  it("begins a new file when another program took the old one away", async () => {
    const folder = await mkdtemp(join(tmpdir(), "audit-"));
    const path = join(folder, "audit.log");
    const rotation = { maxBytes: 10, maxBackups: 3, maxAgeMs: 0 };
    const log = await openAuditLog({ path, rotation, clock: tickingClock(), onTrouble: () => expect.unreachable() });
    await rename(path, join(folder, "elsewhere"));
    for (const line of ["first line\n", "second line\n"]) log.write(line);
    await log.close();
    expect(await readFile(join(folder, "elsewhere"), "utf8")).toBe("first line\n");
    expect(await readFile(path, "utf8")).toBe("second line\n");
  });

  it("loses nothing when it cannot be put aside, and tries again after a minute, not at every line", async () => {
    const folder = await mkdtemp(join(tmpdir(), "audit-"));
    // A name of this length is allowed, and with the time behind it no more.
    const path = join(folder, `${"a".repeat(240)}.log`);
    const troubles: number[] = [];
    const log = await openAuditLog({
      path,
      rotation: { maxBytes: 10, maxBackups: 3, maxAgeMs: 0 },
      clock: tickingClock(),
      onTrouble: (lines) => troubles.push(lines),
    });
    const lines = Array.from({ length: 100 }, (_, at) => `line number ${at}\n`);
    for (const line of lines) log.write(line);
    await log.close();
    expect(await readFile(path, "utf8")).toBe(lines.join(""));
    expect(troubles).toEqual([0, 0]);
  });

  it("keeps the order, is appended to and is for its owner alone", async () => {
    const path = join(await mkdtemp(join(tmpdir(), "audit-")), "audit.log");
    for (const round of ["a", "b"]) {
      const log = await openAuditLog({ path, clock: systemClock, onTrouble: () => expect.unreachable() });
      for (let at = 0; at < 1_000; at++) log.write(`${round}${at}\n`);
      await log.close();
    }
    const lines = (await readFile(path, "utf8")).trim().split("\n");
    expect([lines.length, lines[0], lines[999], lines[1_999]]).toEqual([2_000, "a0", "a999", "b999"]);
    expect((await stat(path)).mode & 0o777).toBe(0o600);
  });
});
