import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type JoinableCluster, startJoinableCluster } from "../../../test/fakes/joinable-cluster.ts";
import type { Node } from "../../api/core/index.ts";
import { CSRS, NODES } from "../../api/meta/index.ts";
import { createInsecureProvider } from "../../attestation/providers/insecure/index.ts";
import { isFault } from "../../kernel/outcome/index.ts";
import { systemClock } from "../../platform/clock/index.ts";
import { generatePrivateKey } from "../../platform/keys/index.ts";
import { loadKubeconfigClient } from "../../platform/kube/index.ts";
import { joinNode } from "./join.ts";
import type { JoinOptions } from "./options.ts";
import { JOIN_STEPS } from "./steps.ts";

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

  const start = (options: Partial<JoinOptions> = {}) =>
    joinNode({
      endpoint: cluster.api.url,
      token: cluster.token,
      nodeName: "worker-1",
      directory: join(directory, "node"),
      provider: createInsecureProvider(),
      registerNode: { addresses: [{ type: "InternalIP", address: "127.0.0.1" }] },
      clock: systemClock,
      progress: (step) => said.push(step),
      ...options,
    });

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
    expect(said).toEqual([...JOIN_STEPS]);
    expect(result).toMatchObject({ nodeName: "worker-1", server: cluster.api.url, wasJoined: false });
    const client = await loadKubeconfigClient(result.kubeconfigPath);
    const node = await client.get<Node>(NODES, { name: "worker-1" });
    await client.close();
    expect(node.status?.conditions).toEqual([expect.objectContaining({ type: "Ready", status: "False" })]);
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

  it("says nothing but `registered` the second time, and needs no live token for it", async () => {
    await start();
    said = [];
    const again = await start({ token: "abcdef.ffffffffffffffff" });
    expect(again.wasJoined).toBe(true);
    expect(said).toEqual(["registered"]);
    expect(await cluster.listRequests()).toHaveLength(1);
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
    expect((await start()).wasJoined).toBe(false);
    cluster.decide(() => ({ kind: "sign", lifetimeMs: 5 * HOUR_MS }));
    const later = { ...systemClock, now: () => Date.now() + 2 * HOUR_MS };
    expect(await start({ clock: later })).toMatchObject({ wasJoined: false });
    expect(await cluster.listRequests()).toHaveLength(3);
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

  it("refuses a name that is none, a token that is none and a pin that is none before it does anything", async () => {
    expect((await failure(start({ nodeName: "Worker 1" }))).code).toBe("bad-config");
    expect((await failure(start({ token: "secret" }))).code).toBe("malformed");
    expect((await failure(start({ caPins: ["sha256:12"] }))).code).toBe("bad-config");
    expect(said).toEqual([]);
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
      expect(await failure(start({ caPins: [`sha256:${"00".repeat(32)}`] }))).toMatchObject({
        code: "untrusted",
        detail: { check: "ca-is-pinned" },
      });
      expect(await cluster.listRequests()).toHaveLength(0);
    });

    it("who knows only the id of the token gets no node", async () => {
      expect(await failure(start({ token: "abcdef.ffffffffffffffff" }))).toMatchObject({
        detail: { check: "signature-is-valid" },
      });
    });
  });
});
