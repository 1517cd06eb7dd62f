import { chmodSync, copyFileSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { aNodeCa } from "../../../test/builders/node-ca.ts";
import { type JoinableCluster, startJoinableCluster } from "../../../test/fakes/joinable-cluster.ts";
import type { RoleBinding } from "../../api/access/index.ts";
import { CLUSTER_ROLE_BINDINGS, SECRETS } from "../../api/meta/index.ts";
import { createInsecureProvider } from "../../attestation/insecure/node.ts";
import { systemClock } from "../../platform/clock/index.ts";
import { parseDiscoveryMethod } from "../discovery/index.ts";
import { type JoinOptions, joinNode, joinPlaces } from "../join/index.ts";
import { fileKubeconfig } from "../join/kubeconfigs.ts";
import { gatherHealth } from "./gather.ts";
import { isWell, judgeHealth } from "./judge.ts";

describe("a check-up of a machine", () => {
  let cluster: JoinableCluster;
  let directory = "";

  beforeEach(async () => {
    cluster = await startJoinableCluster();
    directory = mkdtempSync(join(tmpdir(), "health-"));
  });
  afterEach(async () => {
    await cluster.close();
    rmSync(directory, { recursive: true });
  });

  const joinIt = (options: Partial<JoinOptions> = {}) =>
    joinNode({
      discovery: parseDiscoveryMethod({ address: cluster.api.url, token: cluster.token }),
      nodeName: "worker-1",
      directory,
      provider: createInsecureProvider(),
      clock: systemClock,
      ...options,
    });
  /** Stopped as soon as its request is at the server, however long that takes. */
  const leaveWaiting = async () => {
    const stop = new AbortController();
    const progress = (step: string) => {
      if (step === "requested") stop.abort();
    };
    await expect(joinIt({ signal: stop.signal, progress })).rejects.toMatchObject({ code: "aborted" });
  };
  const examine = async (env: Record<string, string> = {}) => {
    const places = joinPlaces(directory);
    const findings = judgeHealth(
      await gatherHealth({ directory, places, nodeName: "worker-1", clock: systemClock, env }),
    );
    const of = (check: string) => findings.find((finding) => finding.check === check);
    return { findings, of, well: isWell(findings) };
  };

  it("that has joined finds all well", async () => {
    await joinIt();
    const { findings, of, well } = await examine();
    expect(findings.filter(({ state }) => state !== "ok" && state !== "none")).toEqual([]);
    expect(well).toBe(true);
    expect(of("identity")?.text).toContain("system:node:worker-1");
  });

  it("whose request waits says why, and that its token has died meanwhile", async () => {
    cluster.decide(() => ({ kind: "leave" }));
    await leaveWaiting();
    const waiting = await examine();
    expect(waiting.of("pending CSR")).toMatchObject({
      state: "failed",
      text: expect.stringContaining("nobody has judged"),
    });
    expect(waiting.of("bootstrap token")?.state).toBe("ok");
    await cluster.admin.delete(SECRETS, { namespace: "kube-system", name: "bootstrap-token-abcdef" });
    const dead = await examine();
    expect(dead.of("bootstrap token")).toMatchObject({
      state: "failed",
      todo: expect.stringContaining("token create"),
    });
  });

  it("whose token lost the right to create requests is told so: the reason for a join that never begins", async () => {
    cluster.decide(() => ({ kind: "leave" }));
    await leaveWaiting();
    expect((await examine()).of("rights")).toMatchObject({
      state: "ok",
      text: "system:bootstrap:abcdef may create certificate requests",
    });
    for (const { metadata, roleRef } of (await cluster.admin.list<RoleBinding>(CLUSTER_ROLE_BINDINGS)).items) {
      if (roleRef.name === "system:node-bootstrapper")
        await cluster.admin.delete(CLUSTER_ROLE_BINDINGS, { name: metadata.name ?? "" });
    }
    expect((await examine()).of("rights")).toMatchObject({ state: "failed", text: /may not create/ });
  });

  it("whose kubeconfig holds another CA says that it does not vouch", async () => {
    const { kubeconfigPath, certificatePath } = await joinIt();
    const stranger = { server: cluster.api.url, caPem: aNodeCa("another").certPem };
    writeFileSync(kubeconfigPath, fileKubeconfig(stranger, certificatePath), { mode: 0o600 });
    const { of } = await examine();
    expect(of("CA")).toMatchObject({ state: "failed" });
    expect(of("clock")?.state).toBe("ok");
    expect(of("identity")?.state).toBe("unknown");
  });

  it("whose server is gone, or whose name leads nowhere, says which of the two", async () => {
    const { kubeconfigPath, certificatePath } = await joinIt();
    const pointTo = (server: string) =>
      writeFileSync(kubeconfigPath, fileKubeconfig({ server, caPem: cluster.api.caPem }, certificatePath));
    pointTo("https://127.0.0.1:1");
    expect((await examine()).of("API server")).toMatchObject({ state: "failed", text: /ECONNREFUSED/ });
    pointTo("https://no-such-host.invalid:6443");
    const { of } = await examine();
    expect([of("name")?.state, of("API server")?.state]).toEqual(["failed", "unknown"]);
  });

  it("looks for the plugin that its kubeconfigs call, and misses it only where nothing else gives the credential", async () => {
    const { kubeconfigPath, execKubeconfigPath } = await joinIt();
    const command = "kubelet-authenticator-insecure";
    expect((await examine()).of("plugin")).toMatchObject({ state: "none", text: expect.stringContaining(command) });
    copyFileSync(execKubeconfigPath, kubeconfigPath); // as where the key is sealed
    expect((await examine()).of("plugin")).toMatchObject({ state: "failed", todo: expect.stringContaining(command) });
    writeFileSync(join(directory, command), "#!/bin/sh\n", { mode: 0o755 });
    const { of, well } = await examine({ PATH: `/nowhere:${directory}` });
    expect(of("plugin")).toMatchObject({ state: "ok", text: `${command} is ${join(directory, command)}` });
    expect(well).toBe(true);
  });

  it("whose key others can read says so", async () => {
    const { certificatePath } = await joinIt();
    chmodSync(certificatePath, 0o644);
    expect((await examine()).of("directory")).toMatchObject({ state: "failed", text: /mode 0644/ });
  });

  it("that never joined says only that, and what to do", async () => {
    rmSync(directory, { recursive: true });
    const { findings, well } = await examine();
    expect(well).toBe(false);
    expect(findings.filter(({ state }) => state === "failed").map(({ check }) => check)).toEqual(["directory"]);
    directory = mkdtempSync(join(tmpdir(), "health-"));
  });
});
