// Must show: with a TPM that seals, no private key of the node's is on its disk at
// any moment; the plugin answers, the machine restarts, the certificate is renewed; a copy of the disk beside another
// TPM is worth nothing.

import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { NODE_IDENTITIES, type NodeIdentity } from "../../src/api/countersign/index.ts";
import { parseKubeconfig, selectContext } from "../../src/api/kubeconfig/index.ts";
import { createTpmProvider, readEndorsementKey } from "../../src/attestation/tpm/node.ts";
import { runAuthenticator, TPM_AUTHENTICATOR } from "../../src/node/exec/index.ts";
import {
  gatherHealth,
  isWell,
  joinNode,
  joinPlaces,
  judgeHealth,
  leaveCluster,
  parseDiscoveryMethod,
  renewCertificate,
  runNodeDaemon,
} from "../../src/node/index.ts";
import { fileKubeconfig } from "../../src/node/join/kubeconfigs.ts";
import type { Plane } from "../../src/plane/plane.ts";
import { systemClock } from "../../src/platform/clock/index.ts";
import { silentLog } from "../../src/platform/report/index.ts";
import { startJoinablePlane } from "../builders/joinable-plane.ts";
import { plainKeysIn } from "../builders/key-seal.ts";
import { missingTools, type Swtpm, startSwtpm } from "../builders/swtpm.ts";
import { notRun } from "../not-run.ts";

const missing = missingTools("swtpm", "swtpm_setup");

const NAME = "worker-1";
const TPM_SIGNER = "cluster.x-k8s.io/kube-apiserver-client-kubelet-tpm";
const OTHER_TPM =
  "this key was sealed by another TPM, or by this one before it was cleared: a copied disk, or a replaced board; " +
  "if the board is new: countersign identity reset NODE --ek-hash HASH on a control-plane machine " +
  "(HASH: countersign node tpm, here); then join again with a live token: countersign node join";
const never = new AbortController().signal;

describe.skipIf(notRun("the journey with sealed keys", missing))("a machine whose TPM seals its keys", () => {
  let root: string;
  let plane: Plane;
  let token: string;
  let own: Swtpm;
  let other: Swtpm;
  const keysSeen: string[] = [];

  beforeAll(async () => {
    root = mkdtempSync(join(tmpdir(), "countersign-sealed-"));
    [own, other] = await Promise.all([startSwtpm({ certificates: true }), startSwtpm({ certificates: true })]);
    ({ plane, token } = await startJoinablePlane(root));
    await plane.client.create<NodeIdentity>(NODE_IDENTITIES, {
      ...{ apiVersion: "countersign.dev/v1alpha1", kind: "NodeIdentity", metadata: { name: NAME } },
      spec: { nodeName: NAME, tpm: { ek: { spkiSha256: await endorsementOf(own) } } },
    });
  });
  afterAll(async () => {
    await plane?.close();
    await own?.stop();
    await other?.stop();
    rmSync(root, { recursive: true, force: true });
  });

  const endorsementOf = async ({ address }: Swtpm) =>
    (await readEndorsementKey({ clock: systemClock, signal: never }, address)).spkiSha256;
  const directory = () => join(root, "machine");
  const places = (of = directory()) => joinPlaces(of);
  const join1 = (tpm: Swtpm, of = directory(), sealKeys = true) =>
    joinNode({
      ...{ discovery: parseDiscoveryMethod({ address: plane.url, token }), nodeName: NAME, directory: of },
      ...{ provider: createTpmProvider({ address: tpm.address }), sealKeys, clock: systemClock },
      providerFlags: { tpm: tpm.address, ...(sealKeys ? { "seal-key": "" } : {}) },
    });

  /** As client-go calls it: by the kubeconfig that the join wrote, with another TPM where a test has one. */
  async function callPlugin(of = directory(), tpm = own) {
    const { user, cluster } = selectContext(parseKubeconfig(readFileSync(places(of).execKubeconfigPath, "utf8")));
    const args = (user?.exec?.args ?? []).map((arg) => arg.replace(directory(), of).replace(own.address, tpm.address));
    let [stdout, stderr] = ["", ""];
    const info = { kind: "ExecCredential", apiVersion: "client.authentication.k8s.io/v1" };
    const code = await runAuthenticator(TPM_AUTHENTICATOR, {
      args,
      env: { KUBERNETES_EXEC_INFO: JSON.stringify({ ...info, spec: { interactive: false, cluster } }) },
      now: Date.now,
      stdout: (text) => {
        stdout += text;
      },
      stderr: (text) => {
        stderr += text;
      },
    });
    const status = stdout === "" ? undefined : JSON.parse(stdout).status;
    if (status !== undefined) keysSeen.push(status.clientKeyData);
    return { code, args, stderr, status };
  }
  const renewal = (of = directory(), tpm = own) => ({
    ...{ nodeName: NAME, certDirectory: places(of).certDirectory, kubeconfig: places(of).kubeconfigPath },
    ...{ bootstrapKubeconfig: undefined, signerName: TPM_SIGNER, clock: systemClock, signal: never },
    ...{ provider: createTpmProvider({ address: tpm.address }), onlyIfDue: false, limitMs: 20_000 },
  });
  const pairFiles = () => readdirSync(places().certDirectory).filter((name) => /^kubelet-client-\d/.test(name));
  const examine = async (of: string, tpm: Swtpm, path = "/nowhere") => {
    const { keySeal } = createTpmProvider({ address: tpm.address });
    const facts = await gatherHealth({
      directory: of,
      places: places(of),
      nodeName: NAME,
      keySeal,
      clock: systemClock,
      env: { PATH: path },
    });
    return judgeHealth(facts);
  };

  it("01 joins, and has kubeconfigs that call the plugin, which knows to seal", async () => {
    // Looked at while it goes on: the exchange's file has the key before the pair does.
    const glances = glanceAt(directory());
    await join1(own);
    expect(glances.end()).toEqual({ plain: [], sawExchange: true });
    const { kubeconfigPath, execKubeconfigPath } = places();
    expect(readFileSync(kubeconfigPath, "utf8")).toBe(readFileSync(execKubeconfigPath, "utf8"));
    expect(statSync(kubeconfigPath).mode & 0o777).toBe(0o600);
    const { code, args, status } = await callPlugin();
    expect([code, args]).toEqual([0, expect.arrayContaining(["--seal-key", `--tpm=${own.address}`])]);
    expect(status.clientKeyData).toContain("PRIVATE KEY");
  });

  it("02 is joined already when it is joined again, without a request", async () => {
    expect((await join1(own)).wasJoined).toBe(true);
    expect(pairFiles()).toHaveLength(1);
  });

  it("03 answers after a restart of the machine, with the same key", async () => {
    const gone = new Promise((resolve) => own.process.once("exit", resolve));
    own.process.kill("SIGTERM");
    await gone;
    // No TPM for a moment: to be tried again, and nothing is lost.
    expect(await callPlugin()).toMatchObject({ code: 75, stderr: expect.stringContaining("TPM cannot be used") });
    own = await startSwtpm({ directory: own.directory });
    expect((await callPlugin()).status.clientKeyData).toBe(keysSeen[0]);
  });

  it("04 renews as the node itself, with a new key, and shows none to the disk", async () => {
    const glances = glanceAt(directory());
    expect((await renewCertificate(renewal())).isRenewed).toBe(true);
    expect(glances.end()).toEqual({ plain: [], sawExchange: true });
    expect((await callPlugin()).status.clientKeyData).not.toBe(keysSeen[0]);
    expect(pairFiles()).toHaveLength(2);
  });

  it("05 is kept by the daemon, which opens the key for itself", async () => {
    const stop = new AbortController();
    const using = new Promise<void>((resolve) => {
      const log = { ...silentLog, info: (text: string) => text === "using certificate" && resolve() };
      void runNodeDaemon({ ...renewal(), rotate: true, log, verbosity: 4, signal: stop.signal });
    });
    await using;
    stop.abort();
    expect(plainKeysIn(directory(), keysSeen)).toEqual([]);
  });

  it("06 is well, by its own TPM, and says that the key is sealed", async () => {
    const isWrong = ({ state }: { state: string }) => state !== "ok" && state !== "none";
    // Without the plugin nobody gets at the key: that is all that is wrong before it is there.
    expect((await examine(directory(), own)).filter(isWrong)).toMatchObject([{ check: "plugin", state: "failed" }]);
    writeFileSync(join(root, "kubelet-authenticator-tpm"), "#!/bin/sh\n", { mode: 0o755 });
    const findings = await examine(directory(), own, root);
    expect(findings.filter(isWrong)).toEqual([]);
    expect(isWell(findings)).toBe(true);
    expect(findings.find(({ check }) => check === "certificate")?.text).toContain("key sealed by the TPM");
  });

  it("07 as a copied disk beside another TPM is refused by every program, in words, and stays as it was", async () => {
    const copy = join(root, "copy");
    cpSync(directory(), copy, { recursive: true, dereference: true });
    const before = plainKeysIn(copy, keysSeen);
    expect(before).toEqual([]);
    const called = await callPlugin(copy, other);
    expect([called.code, called.status]).toEqual([1, undefined]);
    expect(called.stderr).toBe(`kubelet-authenticator-tpm: ${OTHER_TPM}\n`);
    await expect(renewCertificate(renewal(copy, other))).rejects.toMatchObject({
      code: "untrusted",
      message: expect.stringContaining("sealed by another TPM"),
    });
    const identity = (await examine(copy, other)).find(({ check }) => check === "identity");
    expect(identity).toMatchObject({
      state: "failed",
      text: expect.stringContaining("another TPM"),
      todo: /join again/,
    });
    // With the token it still has to prove itself, and it is another machine.
    await expect(join1(other, copy)).rejects.toMatchObject({ detail: { reason: "EndorsementKeyChanged" } });
    expect(readdirSync(places(copy).certDirectory).filter((name) => name.includes("damaged"))).toEqual([]);
    expect(plainKeysIn(copy, keysSeen)).toEqual([]);
  });

  it("08 joins anew where its board was replaced and an operator said so", async () => {
    await plane.client.delete(NODE_IDENTITIES, { name: NAME });
    await plane.client.create<NodeIdentity>(NODE_IDENTITIES, {
      ...{ apiVersion: "countersign.dev/v1alpha1", kind: "NodeIdentity", metadata: { name: NAME } },
      spec: { nodeName: NAME, tpm: { ek: { spkiSha256: await endorsementOf(other) } } },
    });
    const moved = join(root, "moved");
    cpSync(directory(), moved, { recursive: true, dereference: true });
    expect((await join1(other, moved)).wasJoined).toBe(false);
    expect((await callPlugin(moved, other)).code).toBe(0);
    expect(plainKeysIn(moved, keysSeen)).toEqual([]);
  });

  it("09 joins anew where it had joined with a plain key, of which nothing stays", async () => {
    const before = join(root, "was-plain");
    await join1(other, before, false);
    expect(plainKeysIn(before)).toHaveLength(1);
    expect((await join1(other, before)).wasJoined).toBe(false);
    expect(plainKeysIn(before)).toEqual([]);
    expect((await callPlugin(before, other)).code).toBe(0);
  });

  it("10 does not serve whoever reads the file himself: the daemon refuses before anything is written", async () => {
    const kubeconfig = join(root, "kubelet.conf");
    const current = join(places().certDirectory, "kubelet-client-current.pem");
    writeFileSync(kubeconfig, fileKubeconfig({ server: plane.url, caPem: plane.caPem }, current));
    await expect(renewCertificate({ ...renewal(), kubeconfig })).rejects.toMatchObject({
      code: "bad-config",
      message: expect.stringContaining("reads the key from"),
      detail: { todo: expect.stringContaining("--seal-key") },
    });
  });

  it("11 leaves, even without its TPM", async () => {
    const { keySeal } = createTpmProvider({ address: "/nowhere/tpmrm0" });
    const left = await leaveCluster({ directory: directory(), nodeName: NAME, clock: systemClock, keySeal });
    expect(left.node).toMatch(/^not asked for: this machine's TPM cannot be used.*kubectl delete node worker-1$/);
    expect(readdirSync(root)).not.toContain("machine");
  });

  /** Looks at every file again and again until it is told to end. */
  function glanceAt(of: string) {
    const seen = { plain: new Set<string>(), sawExchange: false };
    const look = () => {
      for (const path of plainKeysIn(of, keysSeen)) seen.plain.add(path);
      seen.sawExchange ||= readdirSync(places(of).certDirectory).includes("kubelet-client.exchange");
    };
    const timer = setInterval(() => ignoringAbsence(look), 1);
    return {
      end: () => {
        clearInterval(timer);
        look();
        return { plain: [...seen.plain], sawExchange: seen.sawExchange };
      },
    };
  }
});

/** A file that went away between two calls is no finding. */
function ignoringAbsence(act: () => void): void {
  try {
    act();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
  }
}
