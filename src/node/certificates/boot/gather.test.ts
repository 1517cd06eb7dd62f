import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { writeKubeconfigFile } from "../../../../test/builders/kubeconfig-file.ts";
import { aNodeCa } from "../../../../test/builders/node-ca.ts";
import { gatherBoot } from "./gather.ts";

const ca = aNodeCa();
const one = ca.issueNode();
const two = ca.issueNode();
const cluster = { url: "https://127.0.0.1:6443", caPem: ca.certPem };

describe("what a start finds", () => {
  let root = "";
  const at = (name: string) => join(root, name);
  beforeEach(() => {
    root = mkdtempSync(join(tmpdir(), "gather-"));
    mkdirSync(at("pki"));
  });
  afterEach(() => rmSync(root, { recursive: true }));

  const gather = () =>
    gatherBoot(
      {
        nodeName: "worker-1",
        certDirectory: at("pki"),
        kubeconfig: at("kubeconfig"),
        bootstrapKubeconfig: undefined,
      },
      Date.now(),
    );
  const present = expect.objectContaining({ kind: "present", commonName: "system:node:worker-1" });

  it("is nothing on a new machine", async () => {
    const { facts, pairs } = await gather();
    expect(facts).toMatchObject({
      store: { kind: "absent" },
      oldFiles: { kind: "absent" },
      kubeconfig: { kind: "absent" },
      hasBootstrapKubeconfig: false,
    });
    expect(pairs).toEqual({});
  });

  it("is the store's pair, and the kubeconfig that names it counts for nothing beside it", async () => {
    writeFileSync(at("pki/kubelet-client-1.pem"), one.certificatePem + one.keyPem);
    const current = at("pki/kubelet-client-current.pem");
    symlinkSync(at("pki/kubelet-client-1.pem"), current);
    writeKubeconfigFile(at("kubeconfig"), cluster, { "client-certificate": current, "client-key": current });
    const { facts, pairs } = await gather();
    expect(facts.store).toEqual(present);
    expect(facts.kubeconfig).toMatchObject({ kind: "read", inFiles: { kind: "absent" }, hasToken: false });
    expect(Object.keys(pairs)).toEqual(["store"]);
  });

  it("is a pair in kubelet's older files", async () => {
    writeFileSync(at("pki/kubelet-client.crt"), one.certificatePem);
    writeFileSync(at("pki/kubelet-client.key"), one.keyPem);
    expect((await gather()).facts.oldFiles).toEqual(present);
  });

  it("is a pair in files beside the kubeconfig, by paths relative to it", async () => {
    writeFileSync(at("node.crt"), one.certificatePem);
    writeFileSync(at("node.key"), one.keyPem);
    writeKubeconfigFile(at("kubeconfig"), cluster, { "client-certificate": "node.crt", "client-key": "node.key" });
    expect((await gather()).facts.kubeconfig).toMatchObject({ inFiles: present });
  });

  it("is damage where certificate and key do not belong together", async () => {
    writeFileSync(at("node.crt"), one.certificatePem);
    writeFileSync(at("node.key"), two.keyPem);
    writeKubeconfigFile(at("kubeconfig"), cluster, { "client-certificate": "node.crt", "client-key": "node.key" });
    expect((await gather()).facts.kubeconfig).toMatchObject({ inFiles: { kind: "damaged" } });
  });

  it("is a kubeconfig that cannot be used, with the reason", async () => {
    writeFileSync(at("kubeconfig"), "a: [");
    expect((await gather()).facts.kubeconfig).toEqual({ kind: "unusable", why: "kubeconfig is not YAML" });
  });

  it("is a token to ask with", async () => {
    writeKubeconfigFile(at("kubeconfig"), cluster, { token: "abcdef.0123456789abcdef" });
    expect((await gather()).facts.kubeconfig).toMatchObject({ hasToken: true });
  });
});
