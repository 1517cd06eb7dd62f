// A credential plugin as a real process: a few lines of Node that count their runs.

import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { aTestCa } from "../../../../test/builders/tls-pair.ts";
import { createManualClock, type ManualClock, START_MS } from "../../../../test/fakes/clock.ts";
import { answerJson, startTestServer, type TestServer } from "../../../../test/fakes/https-server.ts";
import type { ExecUser } from "../../../api/kubeconfig/index.ts";
import { NODES } from "../../../api/meta/index.ts";
import { createKubeClient } from "../create-client.ts";
import { createExecCredentials } from "./exec-user.ts";

let dir: string;
let clock: ManualClock;
const V1 = "client.authentication.k8s.io/v1";

/** Answers with what `answer.json` holds, RUN replaced by the number of the run, and notes what it was asked. */
const PLUGIN = `
const fs = require("node:fs");
const [dir] = process.argv.slice(2);
const run = fs.existsSync(dir + "/runs") ? Number(fs.readFileSync(dir + "/runs", "utf8")) + 1 : 1;
fs.writeFileSync(dir + "/runs", String(run));
fs.writeFileSync(dir + "/asked", JSON.stringify({ info: process.env.KUBERNETES_EXEC_INFO, extra: process.env.EXTRA }));
process.stdout.write(fs.readFileSync(dir + "/answer.json", "utf8").replaceAll("RUN", String(run)));
process.exitCode = Number(process.env.EXIT ?? "0");
`;

beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), "exec-user-"));
  await writeFile(join(dir, "plugin.cjs"), PLUGIN);
});
afterAll(() => rm(dir, { recursive: true }));
beforeEach(async () => {
  clock = createManualClock();
  await rm(join(dir, "runs"), { force: true });
  await answer({ token: "token-RUN" });
});

async function answer(status: unknown, apiVersion = V1): Promise<void> {
  await writeFile(join(dir, "answer.json"), JSON.stringify({ kind: "ExecCredential", apiVersion, status }));
}

function user(changed: Partial<ExecUser> = {}): ExecUser {
  return {
    apiVersion: V1,
    command: process.execPath,
    args: [join(dir, "plugin.cjs"), dir],
    env: [{ name: "EXTRA", value: "yes" }],
    interactiveMode: "Never",
    ...changed,
  };
}

function source(changed: Partial<ExecUser> = {}) {
  const cluster = { server: "https://cluster:6443", "certificate-authority-data": "Q0E=" };
  return createExecCredentials(user(changed), { clock, env: { PATH: process.env["PATH"] }, directory: dir, cluster });
}

const runs = async () => Number(await readFile(join(dir, "runs"), "utf8"));

describe("an exec user", () => {
  it("asks as client-go asks, with its own variables, and tells of the cluster only where that is wanted", async () => {
    await source().credentials();
    const { info, extra } = JSON.parse(await readFile(join(dir, "asked"), "utf8"));
    expect([JSON.parse(info), extra]).toEqual([
      { kind: "ExecCredential", apiVersion: V1, spec: { interactive: false } },
      "yes",
    ]);
    await source({ provideClusterInfo: true }).credentials();
    const asked = JSON.parse(JSON.parse(await readFile(join(dir, "asked"), "utf8")).info);
    expect(asked.spec.cluster).toEqual({
      server: "https://cluster:6443",
      "certificate-authority-data": "Q0E=",
      config: null,
    });
  });

  it("keeps the answer, shares one run among all who ask, and runs again shortly before the end", async () => {
    await answer({ token: "token-RUN", expirationTimestamp: new Date(START_MS + 60_000).toISOString() });
    const { credentials } = source();
    const tokens = await Promise.all([credentials(), credentials(), credentials()]);
    expect(tokens.map(({ token }) => token)).toEqual(["token-1", "token-1", "token-1"]);
    await clock.advance(49_000);
    expect((await credentials()).token).toBe("token-1");
    await clock.advance(2_000);
    expect((await credentials()).token).toBe("token-2");
    expect(await runs()).toBe(2);
  });

  it("runs again when its credential was refused, once for all who were", async () => {
    const { credentials, refused } = source();
    const first = await credentials();
    refused(first);
    const second = await credentials();
    refused(first);
    expect([(await credentials()).token, second.token]).toEqual(["token-2", "token-2"]);
  });

  const refusals: Record<string, [prepare: () => Promise<void>, changed: Partial<ExecUser>, message: RegExp]> = {
    "no status": [() => answer(undefined), {}, /didn't return a status field/],
    "nothing in it": [() => answer({}), {}, /didn't return a token or cert\/key pair/],
    "half a pair": [() => answer({ clientKeyData: "x" }), {}, /only certificate or key, not both/],
    "another version": [() => answer({ token: "t" }, `${V1}beta1`), {}, /configured to use API version/],
    "no JSON": [() => writeFile(join(dir, "answer.json"), "token"), {}, /decoding stdout/],
    "a failure": [async () => undefined, { env: [{ name: "EXIT", value: "3" }] }, /failed with exit code 3/],
    "nobody of that name": [
      async () => undefined,
      { command: "no-such-plugin", installHint: "get it" },
      /not found; get it/,
    ],
  };
  it.each(Object.entries(refusals))("refuses %s", async (_, [prepare, changed, message]) => {
    await prepare();
    await expect(source(changed).credentials()).rejects.toThrow(message);
  });

  it.each<[string, Partial<ExecUser>]>([
    ["an unknown version", { apiVersion: "client.authentication.k8s.io/v1alpha1" }],
    ["a plugin that needs a terminal", { interactiveMode: "Always" }],
    ["a nameless variable", { env: [{ name: "", value: "x" }] }],
  ])("refuses %s before anything runs", (_, changed) => {
    expect(() => source(changed)).toThrow(expect.objectContaining({ code: "bad-config" }));
  });
});

describe("a client with an exec user", () => {
  let server: TestServer;
  const ca = aTestCa();
  beforeAll(async () => {
    server = await startTestServer((_request, response) => response.end(), ca);
  });
  afterAll(() => server.close());

  it("sends a request answered with 401 once more, with the next credential, and not a third time", async () => {
    const seen: (string | undefined)[] = [];
    let good = "Bearer token-2";
    server.handle((request, response) => {
      seen.push(request.headers.authorization);
      if (request.headers.authorization === good) return answerJson(response, 200, { metadata: { name: "a" } });
      return answerJson(response, 401, { kind: "Status", apiVersion: "v1", reason: "Unauthorized", code: 401 });
    });
    const client = createKubeClient({ server: server.url, caPem: ca.certPem, ...source() });
    await client.get(NODES, { name: "a" });
    expect(seen).toEqual(["Bearer token-1", "Bearer token-2"]);
    good = "nobody";
    await expect(client.get(NODES, { name: "a" })).rejects.toMatchObject({ code: "unauthorized" });
    expect(seen.slice(2)).toEqual(["Bearer token-2", "Bearer token-3"]);
    await client.close();
  });
});
