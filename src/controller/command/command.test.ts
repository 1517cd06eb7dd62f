import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { anAuthority } from "../../../test/builders/csr-authority.ts";
import { writeAdminKubeconfig } from "../../../test/builders/kubeconfig-file.ts";
import { clusterDefinition } from "../../../test/builders/machine-definition.ts";
import { define } from "../../../test/contract/definitions.ts";
import { startTestApiServer } from "../../../test/fakes/api-server.ts";
import { aProcess } from "../../../test/fakes/process-edge.ts";
import { CAPI_CLUSTERS_V1BETA2 } from "../../api/foreign/cluster.ts";
import { encodeKubeconfig } from "../../api/kubeconfig/index.ts";
import { loadKubeconfigClient } from "../../platform/kube/index.ts";
import { VERSION } from "../../platform/process/index.ts";
import { runControllerCommand } from "./index.ts";

let dir: string;
const stop = new AbortController();

beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), "controller-command-"));
  const { certPem, keyPem } = anAuthority();
  await writeFile(join(dir, "ca.crt"), certPem);
  await writeFile(join(dir, "ca.key"), keyPem, { mode: 0o600 });
  await writeFile(join(dir, "other.key"), anAuthority().keyPem, { mode: 0o600 });
  // No server listens there.
  const kubeconfig = encodeKubeconfig({
    clusters: [{ name: "c", cluster: { server: "https://127.0.0.1:1" } }],
    users: [{ name: "u", user: { token: "t" } }],
    contexts: [{ name: "x", context: { cluster: "c", user: "u" } }],
    currentContext: "x",
  });
  await writeFile(join(dir, "kubeconfig"), kubeconfig);
});
afterAll(() => rm(dir, { recursive: true }));

const file = (name: string) => join(dir, name);

describe("node-attestation-controller", () => {
  it("prints its help to standard output and ends with 0", async () => {
    const { edge, written } = aProcess({ stop: stop.signal });
    expect(await runControllerCommand(["--help"], edge)).toBe(0);
    expect(written.out).toContain("usage: node-attestation-controller");
  });

  it("prints its version", async () => {
    const { edge, written } = aProcess({ stop: stop.signal });
    expect(await runControllerCommand(["--version"], edge)).toBe(0);
    expect(written.out).toBe(`node-attestation-controller ${VERSION}\n`);
  });

  it.each<[string, () => string[], RegExp]>([
    ["a wrong command line", () => ["--what"], /--what/],
    [
      "a CA that is not there",
      () => ["--ca-cert", file("none"), "--ca-key", file("ca.key"), "--kubeconfig", file("kubeconfig")],
      /none/,
    ],
    [
      "a key that belongs to another CA, at the start and not at the first join",
      () => ["--ca-cert", file("ca.crt"), "--ca-key", file("other.key"), "--kubeconfig", file("kubeconfig")],
      /CA key does not belong/,
    ],
    [
      "a source of endorsement keys that is not installed",
      () => [
        ...["--ca-cert", file("ca.crt"), "--ca-key", file("ca.key"), "--kubeconfig", file("kubeconfig")],
        ...["--endorsement-key-source", "no-such-source"],
      ],
      /no-such-source/,
    ],
    [
      "a management cluster that nobody can reach by what is written there",
      () => [
        ...["--ca-cert", file("ca.crt"), "--ca-key", file("ca.key"), "--kubeconfig", file("kubeconfig")],
        ...["--management-kubeconfig", file("none"), "--cluster-name", "east"],
      ],
      /none/,
    ],
    [
      "no kubeconfig outside of a pod",
      () => ["--ca-cert", file("ca.crt"), "--ca-key", file("ca.key")],
      /this is no pod/,
    ],
  ])("ends with 78 and one sentence for %s", async (_, args, sentence) => {
    const { edge, written } = aProcess({ stop: stop.signal });
    expect(await runControllerCommand([...args(), "--log-level=silent"], edge)).toBe(78);
    expect(written.err).toMatch(sentence);
    expect(written.err.trim().split("\n")).toHaveLength(1);
  });

  it("waits for a server that is away, and ends with 0 when it is told to stop", async () => {
    const { edge } = aProcess({ stop: stop.signal });
    const args = ["--ca-cert", file("ca.crt"), "--ca-key", file("ca.key"), "--kubeconfig", file("kubeconfig")];
    const ended = runControllerCommand([...args, "--log-level=silent"], edge);
    setTimeout(() => stop.abort(), 50);
    expect(await ended).toBe(0);
  });

  it("does not start under a name that Clusters of two namespaces have: their identities would be one", async () => {
    const server = await startTestApiServer();
    const kubeconfig = writeAdminKubeconfig(file("management"), server);
    const admin = await loadKubeconfigClient(kubeconfig);
    await define(admin, clusterDefinition(["v1beta2"]), CAPI_CLUSTERS_V1BETA2);
    const cluster = { apiVersion: "cluster.x-k8s.io/v1beta2", kind: "Cluster" };
    for (const namespace of ["default", "kube-system"])
      await admin.create(CAPI_CLUSTERS_V1BETA2, { ...cluster, metadata: { name: "east", namespace } });
    const { edge, written } = aProcess();
    const args = ["--ca-cert", file("ca.crt"), "--ca-key", file("ca.key"), "--kubeconfig", file("kubeconfig")];
    const named = [`--management-kubeconfig=${kubeconfig}`, "--cluster-name=east", "--log-level=silent"];
    expect(await runControllerCommand([...args, ...named], edge)).toBe(78);
    expect(written.err).toContain("--cluster-name east is the name of default/east, kube-system/east");
    await admin.close();
    await server.close();
  });
});
