import { mkdtemp, rename, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { aSealingMachine } from "../../../../test/builders/key-seal.ts";
import { aTestCa } from "../../../../test/builders/tls-pair.ts";
import { createManualClock, type ManualClock } from "../../../../test/fakes/clock.ts";
import { answerJson, peerName, startTestServer, type TestServer } from "../../../../test/fakes/https-server.ts";
import { encodeKubeconfig, type KubeconfigCluster, type KubeconfigUser } from "../../../api/kubeconfig/index.ts";
import { NODES } from "../../../api/meta/index.ts";
import type { Log } from "../../report/index.ts";
import { loadInClusterConnection, loadKubeconfigClient, loadKubeconfigConnection } from "./load-connection.ts";

const ca = aTestCa();
const [alice, bob] = [ca.issueClient("alice"), ca.issueClient("bob")];
let directory: string;
let clock: ManualClock;
let warnings: string[];
const log: Log = {
  debug: () => undefined,
  info: () => undefined,
  warn: (message) => warnings.push(message),
  error: () => undefined,
  child: () => log,
};

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), "kubeconfig-"));
});
afterAll(() => rm(directory, { recursive: true }));
beforeEach(() => {
  clock = createManualClock();
  warnings = [];
});

const base64 = (text: string) => Buffer.from(text).toString("base64");
const file = (name: string) => join(directory, name);

async function save(user: KubeconfigUser, cluster: Partial<KubeconfigCluster> = {}): Promise<string> {
  const path = file("config");
  const config = {
    clusters: [{ name: "c", cluster: { server: "https://127.0.0.1:6443", ...cluster } }],
    users: [{ name: "u", user }],
    contexts: [
      { name: "ctx", context: { cluster: "c", user: "u" } },
      { name: "nobody", context: { cluster: "c", user: "missing" } },
    ],
    currentContext: "ctx",
  };
  await writeFile(path, encodeKubeconfig(config));
  return path;
}

const load = async (user: KubeconfigUser, cluster?: Partial<KubeconfigCluster>) =>
  loadKubeconfigConnection(await save(user, cluster), { clock, log });

describe("a client key that the machine's TPM has sealed", () => {
  it("is not read, and the reader is told which kubeconfig to use", async () => {
    const key =
      alice.certPem + (await aSealingMachine().seal(alice.keyPem, { purpose: "request", bound: new Uint8Array() }));
    await writeFile(file("sealed.pem"), key);
    const { credentials } = await load({ "client-certificate": "sealed.pem", "client-key": "sealed.pem" });
    await expect(async () => credentials()).rejects.toMatchObject({
      code: "bad-config",
      message: expect.stringContaining("sealed by this machine's TPM"),
      detail: { todo: expect.stringContaining("kubelet-exec.kubeconfig") },
    });
  });
});

describe("the cluster of a kubeconfig", () => {
  it("has its CA inline, or in a file beside the kubeconfig, inline first", async () => {
    await writeFile(file("ca.pem"), "from file");
    expect(await load({}, { "certificate-authority": "ca.pem" })).toMatchObject({ caPem: "from file" });
    const both = { "certificate-authority": "ca.pem", "certificate-authority-data": base64("inline") };
    expect(await load({}, both)).toMatchObject({ caPem: "inline", server: "https://127.0.0.1:6443" });
    expect(await load({}, { "tls-server-name": "name", ...both })).toMatchObject({ tlsServerName: "name" });
  });

  it("without a CA means this machine's roots, where kubectl looks for them, and not those of Node", async () => {
    await writeFile(file("roots.pem"), alice.certPem);
    const path = await save({}, {});
    const env = { SSL_CERT_FILE: file("roots.pem") };
    const loaded = await loadKubeconfigConnection(path, { clock, log, env });
    expect(loaded).toMatchObject({ usesSystemRoots: true, caPem: expect.stringContaining(alice.certPem) as string });
    expect(loaded.caPem.match(/BEGIN CERTIFICATE/g)).toHaveLength(1);
    const nowhere = { clock, log, env: { SSL_CERT_FILE: file("nowhere.pem") } };
    await expect(loadKubeconfigConnection(path, nowhere)).rejects.toMatchObject({ code: "bad-config" });
  });

  const refused: Record<string, [cluster: Partial<KubeconfigCluster>, code: string]> = {
    "a server that is not verified": [{ "insecure-skip-tls-verify": true }, "bad-config"],
    "a proxy of another kind": [{ "proxy-url": "socks5://proxy:1080" }, "bad-config"],
    "a proxy without a scheme": [{ "proxy-url": "proxy:3128" }, "bad-config"],
    "a CA that is not base64": [{ "certificate-authority-data": "%" }, "malformed"],
    "a CA file that is not there": [{ "certificate-authority": "nowhere.pem" }, "not-found"],
  };
  for (const [sentence, [cluster, code]] of Object.entries(refused)) {
    it(`is refused with ${sentence}`, () => expect(load({}, cluster)).rejects.toMatchObject({ code }));
  }
});

describe("the user of a kubeconfig", () => {
  it("may be nobody", async () => {
    const { credentials } = await loadKubeconfigConnection(await save({ token: "t" }), { context: "nobody" });
    expect(await credentials()).toEqual({});
  });

  it("may have a token, a certificate, or both", async () => {
    const pair = { "client-certificate-data": base64(alice.certPem), "client-key-data": base64(alice.keyPem) };
    expect(await (await load({ token: "t" })).credentials()).toEqual({ token: "t" });
    expect(await (await load(pair)).credentials()).toEqual(alice);
    expect(await (await load({ ...pair, token: "t" })).credentials()).toEqual({ ...alice, token: "t" });
  });

  it("may have a token file, which wins over a token and is read again", async () => {
    await writeFile(file("token"), "first\n");
    const { credentials } = await load({ token: "stale", tokenFile: "token" });
    expect(await credentials()).toEqual({ token: "first" });
    await writeFile(file("token"), "second\n");
    expect(await credentials()).toEqual({ token: "first" });
    await clock.advance(5_000);
    expect(await credentials()).toEqual({ token: "second" });
  });

  it("keeps the last good credentials while a file is away or a pair is half replaced, and says so", async () => {
    await Promise.all([writeFile(file("c.pem"), alice.certPem), writeFile(file("k.pem"), alice.keyPem)]);
    const { credentials } = await load({ "client-certificate": "c.pem", "client-key": file("k.pem") });
    expect(await credentials()).toEqual(alice);
    await writeFile(file("c.pem"), bob.certPem);
    await clock.advance(5_000);
    expect(await credentials()).toEqual(alice);
    await rename(file("k.pem"), file("gone.pem"));
    await clock.advance(5_000);
    expect(await credentials()).toEqual(alice);
    await writeFile(file("k.pem"), bob.keyPem);
    await clock.advance(5_000);
    expect(await credentials()).toEqual(bob);
    expect(warnings).toHaveLength(2);
  });

  const refused: Record<string, [user: KubeconfigUser, code: string]> = {
    "a plugin without a mode": [
      { exec: { apiVersion: "client.authentication.k8s.io/v1", command: "aws" } },
      "bad-config",
    ],
    "a password": [{ username: "u", password: "p" }, "unsupported"],
    "a certificate without a key": [{ "client-certificate-data": base64(alice.certPem) }, "bad-config"],
    "a key without a certificate": [{ "client-key": "k.pem" }, "bad-config"],
  };
  for (const [sentence, [user, code]] of Object.entries(refused)) {
    it(`is refused with ${sentence}`, () => expect(load(user)).rejects.toMatchObject({ code }));
  }

  it("is refused at the first call with a pair that does not match, or a file that is not there", async () => {
    const pair = { "client-certificate-data": base64(alice.certPem), "client-key-data": base64(bob.keyPem) };
    await expect((await load(pair)).credentials()).rejects.toMatchObject({ code: "bad-config" });
    await expect((await load({ tokenFile: "nowhere" })).credentials()).rejects.toMatchObject({ code: "not-found" });
  });
});

describe("a client from a kubeconfig", () => {
  let server: TestServer;
  beforeAll(async () => {
    server = await startTestServer((request, response) => answerJson(response, 200, { who: peerName(request) }), ca);
  });
  afterAll(() => server.close());

  it("authenticates with the certificate", async () => {
    const pair = { "client-certificate-data": base64(alice.certPem), "client-key-data": base64(alice.keyPem) };
    const path = await save(pair, { server: server.url, "certificate-authority-data": base64(ca.certPem) });
    const client = await loadKubeconfigClient(path);
    expect(await client.get(NODES, { name: "a" })).toEqual({ who: "alice" });
    await client.close();
  });
});

describe("in a pod", () => {
  const env = { KUBERNETES_SERVICE_HOST: "10.0.0.1", KUBERNETES_SERVICE_PORT: "443" };
  beforeAll(async () => {
    await Promise.all([writeFile(file("ca.crt"), "the CA"), writeFile(file("token"), "pod-token")]);
  });

  it("the service account speaks, over the address in the environment", async () => {
    const connection = await loadInClusterConnection({ env, directory, clock });
    expect(connection).toMatchObject({ server: "https://10.0.0.1:443", caPem: "the CA" });
    expect(await connection.credentials()).toEqual({ token: "pod-token" });
  });

  it("an IPv6 address is put in brackets", async () => {
    const connection = await loadInClusterConnection({
      env: { ...env, KUBERNETES_SERVICE_HOST: "fd00::1" },
      directory,
    });
    expect(connection.server).toBe("https://[fd00::1]:443");
  });

  it("is where one is not without the environment", async () => {
    await expect(loadInClusterConnection({ env: {}, directory })).rejects.toMatchObject({ code: "bad-config" });
  });
});
