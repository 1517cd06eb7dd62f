import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { type AddressInfo, createServer, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { aSealingMachine, plainKeysIn } from "../../../test/builders/key-seal.ts";
import { type JoinableCluster, startJoinableCluster } from "../../../test/fakes/joinable-cluster.ts";
import { buildTokenSecret, parseToken } from "../../api/bootstrap/index.ts";
import { KUBELET_CLIENT_SIGNER } from "../../api/certificates/index.ts";
import type { Node } from "../../api/core/index.ts";
import { encodeKubeconfig } from "../../api/kubeconfig/index.ts";
import { CSRS, NODES, SECRETS } from "../../api/meta/index.ts";
import { createInsecureProvider } from "../../attestation/insecure/node.ts";
import { encodeBase64, encodeUtf8 } from "../../kernel/bytes/index.ts";
import { isFault } from "../../kernel/outcome/index.ts";
import { systemClock } from "../../platform/clock/index.ts";
import { generatePrivateKey } from "../../platform/keys/index.ts";
import { loadKubeconfigClient } from "../../platform/kube/index.ts";
import { type DiscoveryWords, parseDiscoveryMethod } from "../discovery/index.ts";
import { planJoin } from "./dry-run.ts";
import { joinNode } from "./join.ts";
import { bootstrapKubeconfig } from "./kubeconfigs.ts";
import { JOIN_STEPS, type JoinOptions } from "./options.ts";

const HOUR_MS = 3_600_000;
const SECRET = "0123456789abcdef";

describe("a join", () => {
  let cluster: JoinableCluster;
  let directory = "";
  let said: string[] = [];

  beforeEach(async () => {
    cluster = await startJoinableCluster();
    directory = mkdtempSync(join(tmpdir(), "join-"));
    said = [];
  });
  afterEach(async () => {
    await cluster.close();
    rmSync(directory, { recursive: true });
  });

  const byToken = (words: DiscoveryWords = {}) =>
    parseDiscoveryMethod({ address: cluster.api.url, token: cluster.token, ...words });
  const optionsWith = (options: Partial<JoinOptions>): JoinOptions => ({
    discovery: byToken(),
    nodeName: "worker-1",
    directory: join(directory, "node"),
    provider: createInsecureProvider(),
    registerNode: { addresses: [{ type: "InternalIP", address: "127.0.0.1" }] },
    clock: systemClock,
    progress: (step) => said.push(step),
    ...options,
  });
  const start = (options: Partial<JoinOptions> = {}) => joinNode(optionsWith(options));

  async function failure(promise: Promise<unknown>) {
    const error = await promise.then(
      () => expect.fail("it should have failed"),
      (thrown: unknown) => thrown,
    );
    if (!isFault(error)) throw error;
    expect(`${error.message} ${JSON.stringify(error.detail)} ${String(error.cause)}`).not.toContain(SECRET);
    return error;
  }

  it("goes all seven steps in their order, and the node can act as itself", async () => {
    const result = await start();
    // Nothing attests a machine that only has a token.
    expect(said).toEqual(JOIN_STEPS.filter((step) => step !== "attested"));
    expect(result).toMatchObject({ nodeName: "worker-1", server: cluster.api.url, wasJoined: false });
    const client = await loadKubeconfigClient(result.kubeconfigPath);
    const node = await client.get<Node>(NODES, { name: "worker-1" });
    await client.close();
    expect(node.status?.conditions).toEqual([expect.objectContaining({ type: "Ready", status: "False" })]);
  });

  it("has one time for all of it: what discovery took is not left for the certificate", async () => {
    cluster.decide(() => ({ kind: "leave" }));
    let laterMs = 0;
    const clock = { ...systemClock, now: () => systemClock.now() + laterMs };
    const progress = (step: string) => {
      if (step === "trusted") laterMs = HOUR_MS;
    };
    const { code, message } = await failure(start({ clock, progress, limitMs: HOUR_MS }));
    expect([code, message]).toEqual(["timeout", expect.stringMatching(/^no certificate after 0 s/)]);
  });

  it("does not wait longer for a server that is silent than for anything else", async () => {
    const sockets: Socket[] = [];
    const silent = createServer((socket) => sockets.push(socket));
    await new Promise<void>((resolve) => silent.listen(0, "127.0.0.1", resolve));
    const { port } = silent.address() as AddressInfo;
    const discovery = byToken({ address: `127.0.0.1:${port}` });
    const { code, message } = await failure(start({ discovery, limitMs: 100 }));
    expect([code, message]).toEqual(["timeout", "the cluster was not found in time: no server has answered"]);
    for (const socket of sockets) socket.destroy();
    await new Promise((resolve) => silent.close(resolve));
  });

  it("leaves private files, and the token in none of them", async () => {
    const result = await start();
    for (const path of [result.kubeconfigPath, result.execKubeconfigPath, result.certificatePath]) {
      expect(statSync(path).mode & 0o777).toBe(0o600);
      expect(readFileSync(path, "utf8")).not.toContain(SECRET);
    }
    expect(readdirSync(join(directory, "node", "pki"))).toEqual([
      expect.stringMatching(/^kubelet-client-\d{4}-.*\.pem$/),
      "kubelet-client-current.pem",
    ]);
    const exec = readFileSync(result.execKubeconfigPath, "utf8");
    expect(exec).toContain("command: kubelet-authenticator-insecure");
    expect(exec).toContain("--signer-name=cluster.x-k8s.io/kube-apiserver-client-kubelet-insecure");
  });

  it("calls a plugin that claims nothing where it asks Kubernetes' own signer", async () => {
    const { execKubeconfigPath, plugin } = await start({ signerName: KUBELET_CLIENT_SIGNER });
    expect(plugin.command).toBe("kubelet-authenticator");
    expect(readFileSync(execKubeconfigPath, "utf8")).toMatch(/command: kubelet-authenticator\n/);
  });

  it("says where the plugin is that its kubeconfigs call, or that it is nowhere on PATH", async () => {
    const command = "kubelet-authenticator-insecure";
    expect((await start({ env: { PATH: "/nowhere" } })).plugin).toEqual({ command, path: undefined });
    writeFileSync(join(directory, command), "#!/bin/sh\n", { mode: 0o755 });
    const path = join(directory, command);
    expect((await start({ env: { PATH: directory } })).plugin).toEqual({ command, path });
  });

  it("says nothing but `registered` the second time, and needs no live token for it", async () => {
    await start();
    said = [];
    const again = await start({ discovery: byToken({ token: "abcdef.ffffffffffffffff" }) });
    expect(again.wasJoined).toBe(true);
    expect(said).toEqual(["registered"]);
    expect(await cluster.listRequests()).toHaveLength(1);
  });

  it("removes a plain key that a crash left beside its sealed pair, though it has nothing else to do", async () => {
    const sealing = { provider: { ...createInsecureProvider(), keySeal: aSealingMachine() }, sealKeys: true };
    await start(sealing);
    const pki = join(directory, "node", "pki");
    writeFileSync(join(pki, "kubelet-client.key.tmp"), generatePrivateKey("P-256").encodePem());
    expect((await start(sealing)).wasJoined).toBe(true);
    expect(plainKeysIn(pki)).toEqual([]);
  });

  it("takes up the request that an earlier start made and did not live to see answered", async () => {
    cluster.decide(() => ({ kind: "leave" }));
    const stop = new AbortController();
    const progress = (step: string) => step === "requested" && stop.abort();
    expect(await failure(start({ signal: stop.signal, progress }))).toMatchObject({ code: "aborted" });
    const [request] = await cluster.listRequests();
    const waiting = start();
    await cluster.admin.patch(
      CSRS,
      { name: request?.metadata.name ?? "", subresource: "approval" },
      { status: { conditions: [{ type: "Denied", status: "True", reason: "Late", message: "too late" }] } },
    );
    expect(await failure(waiting)).toMatchObject({ code: "denied", detail: { reason: "Late", message: "too late" } });
    expect(await cluster.listRequests()).toHaveLength(1);
  });

  it("asks with a new key after a refusal, because a person has removed its cause", async () => {
    cluster.decide(() => ({ kind: "deny", reason: "NodeIsRegistered", message: "node worker-1 is registered" }));
    expect(await failure(start())).toMatchObject({ code: "denied", detail: { reason: "NodeIsRegistered" } });
    cluster.decide(() => ({ kind: "sign" }));
    await start();
    expect(await cluster.listRequests()).toHaveLength(2);
  });

  it("asks anew when the stored certificate is another node's or over", async () => {
    await start({ nodeName: "worker-2" });
    const later = { ...systemClock, now: () => Date.now() + 2 * HOUR_MS };
    cluster.decide(() => ({ kind: "sign", lifetimeMs: 3 * HOUR_MS }));
    expect(await start({ clock: later })).toMatchObject({ wasJoined: false });
    const last = { ...systemClock, now: () => Date.now() + 4 * HOUR_MS };
    cluster.decide(() => ({ kind: "sign", lifetimeMs: 5 * HOUR_MS }));
    expect(await start({ clock: last })).toMatchObject({ wasJoined: false });
    expect(await cluster.listRequests()).toHaveLength(3);
  });

  it("writes nothing into a directory that holds another node's certificate in force, and says what to do", async () => {
    await start({ nodeName: "worker-2" });
    const node = join(directory, "node");
    const contents = () =>
      readdirSync(node, { recursive: true, withFileTypes: true })
        .filter((entry) => !entry.isDirectory())
        .map(({ parentPath, name }) => [name, readFileSync(join(parentPath, name), "utf8")]);
    const before = contents();
    const refused = await failure(start());
    expect(refused).toMatchObject({ code: "bad-config", detail: { todo: expect.stringContaining("node leave") } });
    expect(refused.message).toMatch(/node holds the certificate of node worker-2, good until \d{4}-/);
    expect((await failure(planJoin(optionsWith({})))).message).toBe(refused.message);
    expect(contents()).toEqual(before);
    expect(await cluster.listRequests()).toHaveLength(1);
  });

  it("moves a damaged current file aside, says so, and joins", async () => {
    const first = await start();
    writeFileSync(first.certificatePath, "half a fi");
    const told: string[] = [];
    const result = await start({ waiting: (why) => told.push(why) });
    expect(result.wasJoined).toBe(false);
    expect(told).toEqual([expect.stringContaining("was unusable and is now")]);
  });

  it("lets two that start at once on one directory end with one request and one certificate", async () => {
    const [first, second] = await Promise.all([start(), start()]);
    expect(first?.notAfterMs).toBe(second?.notAfterMs);
    expect(await cluster.listRequests()).toHaveLength(1);
  });

  it("makes no Node when it is not asked to", async () => {
    await start({ registerNode: undefined });
    expect(said.at(-1)).toBe("stored");
    await expect(cluster.admin.get(NODES, { name: "worker-1" })).rejects.toMatchObject({ code: "not-found" });
  });

  it("refuses a name that is none before it does anything", async () => {
    expect((await failure(start({ nodeName: "Worker 1" }))).code).toBe("bad-config");
    expect(said).toEqual([]);
  });

  describe("with its discovery and its credential apart", () => {
    const document = () => {
      const path = join(directory, "cluster-info");
      const caData = encodeBase64(encodeUtf8(cluster.api.caPem));
      const entry = { server: cluster.api.url, "certificate-authority-data": caData };
      const clusters = [{ name: "", cluster: entry }];
      writeFileSync(path, encodeKubeconfig({ clusters, users: [], contexts: [], currentContext: "" }));
      return parseDiscoveryMethod({ clusterInfoFile: path });
    };

    it("asks with a TLS bootstrap token beside a document", async () => {
      const result = await start({
        discovery: document(),
        bootstrap: { kind: "token", token: parseToken(cluster.token) },
      });
      expect(result).toMatchObject({ server: cluster.api.url, wasJoined: false });
      expect(await cluster.listRequests()).toMatchObject([{ spec: { username: "system:bootstrap:abcdef" } }]);
    });

    it("asks with a bootstrap kubeconfig, beside a document or alone", async () => {
      const path = join(directory, "bootstrap");
      const address = { server: cluster.api.url, caPem: cluster.api.caPem };
      writeFileSync(path, bootstrapKubeconfig(address, { token: cluster.token }), { mode: 0o600 });
      const bootstrap = { kind: "kubeconfig" as const, path };
      await start({ discovery: document(), bootstrap });
      await start({ discovery: undefined, bootstrap, nodeName: "worker-2", directory: join(directory, "alone") });
      expect(await cluster.listRequests()).toHaveLength(2);
    });

    it("says what is missing when a document comes without a credential", async () => {
      expect(await failure(start({ discovery: document() }))).toMatchObject({
        code: "bad-config",
        message: expect.stringContaining("--tls-bootstrap-token"),
      });
    });
  });

  describe("that was cut short", () => {
    const interrupted = async () => {
      cluster.decide(() => ({ kind: "leave" }));
      const stop = new AbortController();
      await failure(start({ signal: stop.signal, progress: (step) => step === "requested" && stop.abort() }));
      cluster.decide(() => ({ kind: "sign" }));
      const [csr] = await cluster.listRequests();
      await cluster.admin.delete(CSRS, { name: csr?.metadata.name ?? "" });
    };

    it("is taken up without its arguments, from what it left", async () => {
      await interrupted();
      expect(await start({ discovery: undefined })).toMatchObject({ server: cluster.api.url, wasJoined: false });
      expect(readdirSync(join(directory, "node"))).not.toContain("bootstrap.kubeconfig");
    });

    it("is taken up with another token", async () => {
      await interrupted();
      const token = parseToken("zyxwvu.0123456789abcdef");
      await cluster.admin.create(SECRETS, buildTokenSecret(token, { nowMs: Date.now(), ttlMs: HOUR_MS }));
      await start({ discovery: undefined, bootstrap: { kind: "token", token } });
      expect(await cluster.listRequests()).toMatchObject([{ spec: { username: `system:bootstrap:${token.id}` } }]);
    });

    it("is not there when it has ended: its token is gone, and another is asked for", async () => {
      const { certificatePath } = await start();
      writeFileSync(certificatePath, "half a fi");
      const ended = {
        code: "bad-config",
        message: expect.stringMatching(/is over and its token is gone: give --token/),
      };
      expect(await failure(start({ discovery: undefined }))).toMatchObject(ended);
      expect(await failure(planJoin(optionsWith({ discovery: undefined })))).toMatchObject(ended);
    });

    it("leaves no directory where it cannot even begin", async () => {
      const bootstrap = { kind: "kubeconfig" as const, path: join(directory, "nowhere") };
      expect((await failure(start({ bootstrap }))).message).toContain("nowhere: ENOENT");
      await failure(start({ discovery: undefined }));
      expect(readdirSync(directory)).toEqual([]);
    });

    it("is not there when nothing was begun", async () => {
      expect(await failure(start({ discovery: undefined }))).toMatchObject({
        code: "bad-config",
        message: expect.stringContaining("no join was begun in"),
      });
    });
  });

  it("leaves the bootstrap kubeconfig and tells the plugin of it when it is told to", async () => {
    const result = await start({ keepBootstrap: true });
    const path = join(directory, "node", "bootstrap.kubeconfig");
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(readFileSync(result.execKubeconfigPath, "utf8")).toContain(`--bootstrap-kubeconfig=${path}`);
  });

  it("as a rehearsal finds the cluster, shows the credential, and changes nothing", async () => {
    const rehearse = (discovery = byToken()) =>
      planJoin({
        discovery,
        nodeName: "worker-1",
        directory: join(directory, "node"),
        provider: createInsecureProvider(),
        clock: systemClock,
      });
    expect(await rehearse()).toMatchObject({
      server: cluster.api.url,
      credential: "bootstrap token abcdef",
      knownAs: "system:bootstrap:abcdef",
      isJoined: false,
    });
    expect(readdirSync(directory)).toEqual([]);
    expect(await cluster.listRequests()).toEqual([]);
    await start();
    expect(await rehearse()).toMatchObject({ isJoined: true });
  });

  describe("with an attacker", () => {
    it("who signs another key's certificate stores nothing", async () => {
      const { publicKey } = generatePrivateKey("P-256").signer;
      cluster.decide(() => ({ kind: "sign", publicKey }));
      expect(await failure(start())).toMatchObject({
        code: "untrusted",
        detail: { check: "certificate-is-for-our-key" },
      });
      expect(readdirSync(join(directory, "node", "pki"))).toEqual([]);
    });

    it("who signs another name stores nothing", async () => {
      const subject = { commonName: "system:node:worker-2", organizations: ["system:nodes"] };
      cluster.decide(() => ({ kind: "sign", subject }));
      expect(await failure(start())).toMatchObject({ code: "untrusted", detail: { check: "subject-is-our-node" } });
      expect(said).not.toContain("stored");
    });

    it("whose cluster has another CA than the pinned one never sees the token", async () => {
      expect(
        await failure(start({ discovery: byToken({ caCertHashes: [`sha256:${"00".repeat(32)}`] }) })),
      ).toMatchObject({
        code: "untrusted",
        detail: { check: "ca-is-pinned" },
      });
      expect(await cluster.listRequests()).toHaveLength(0);
    });

    it("who knows only the id of the token gets no node", async () => {
      expect(await failure(start({ discovery: byToken({ token: "abcdef.ffffffffffffffff" }) }))).toMatchObject({
        detail: { check: "signature-is-valid" },
      });
    });
  });
});
