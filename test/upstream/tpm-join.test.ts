// Must show: with a TPM a node joins a real kube-apiserver and stays (journeys/tpm-kubelet.ts says how); beside it our
// daemon gets a serving certificate. Then somebody with the same token, and a TPM that dies.

import { execFile } from "node:child_process";
import { mkdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { type CertificateSigningRequest, isIssued } from "../../src/api/certificates/index.ts";
import type { Node } from "../../src/api/core/index.ts";
import { JOIN_POLICIES, NODE_IDENTITIES, type NodeIdentity } from "../../src/api/countersign/index.ts";
import { CSRS, NODES } from "../../src/api/meta/index.ts";
import { createTpmProvider, readEndorsementKey } from "../../src/attestation/tpm/node.ts";
import { parsePem } from "../../src/kernel/pem/index.ts";
import { joinNode, runNodeDaemon, servingNamesOf } from "../../src/node/index.ts";
import { systemClock } from "../../src/platform/clock/index.ts";
import { silentLog } from "../../src/platform/report/index.ts";
import { aDyingTpm } from "../builders/dying-tpm.ts";
import { missingTools, type Swtpm, startSwtpm } from "../builders/swtpm.ts";
import { notRun } from "../not-run.ts";
import { patient } from "../patience.ts";
import { waitFor, waitForFreshLease } from "./harness/index.ts";
import { CLIENT_SIGNER, NAME, tpmKubeletJourney } from "./journeys/tpm-kubelet.ts";

const missing = missingTools("swtpm", "swtpm_setup");

const never = new AbortController().signal;
const SERVING_SIGNER = "cluster.x-k8s.io/kubelet-serving-tpm";

describe.skipIf(notRun("a join with a TPM", missing))("a join with a TPM on a real API server", () => {
  const journey = tpmKubeletJourney();
  let thief: Swtpm;
  beforeAll(async () => {
    thief = await startSwtpm();
  });
  afterAll(() => thief?.stop());

  journey.joinsAndServes();

  it("gives a serving certificate of the TPM's own signer to the daemon", async () => {
    const { workspace, admin, own } = journey.stage();
    const certDirectory = join(workspace.dir, "own");
    const kubeconfig = join(workspace.dir, "kubelet.kubeconfig");
    const addresses = (await admin.get<Node>(NODES, { name: NAME })).status?.addresses ?? [];
    const stop = new AbortController();
    const running = runNodeDaemon({
      ...{ nodeName: NAME, certDirectory, kubeconfig, bootstrapKubeconfig: undefined },
      ...{ signerName: CLIENT_SIGNER, provider: createTpmProvider({ address: own.address }) },
      ...{ rotate: true, serving: { signerName: SERVING_SIGNER, names: () => servingNamesOf(addresses) } },
      ...{ clock: systemClock, log: silentLog, verbosity: 0, signal: stop.signal },
    });
    const pem = await waitFor({
      what: "the daemon's serving certificate",
      limitMs: 30_000,
      everyMs: 250,
      probe: () => readFile(join(certDirectory, "kubelet-server-current.pem"), "utf8").catch(() => undefined),
    });
    stop.abort();
    await running;
    expect(pem).toContain("BEGIN CERTIFICATE");
  });

  journey.rotates();

  it("renews by one request once the policy offers the beacon", async () => {
    const { admin, plane } = journey.stage();
    const spec = { attestation: { renewalBeacon: true } };
    await admin.patch(JOIN_POLICIES, { name: "tpm" }, { spec }, { type: "merge" });
    const single = await waitFor({
      what: "a renewal by beacon that the node itself filed, signed",
      limitMs: 90_000,
      everyMs: 500,
      probe: async () => {
        const { items } = await admin.list<CertificateSigningRequest>(CSRS);
        return items.find((csr) => csr.metadata.name?.startsWith("countersign-single-") === true && isIssued(csr));
      },
    });
    expect(single.spec.username).toBe(`system:node:${NAME}`);
    expect(single.status?.conditions).toMatchObject([{ type: "Approved", reason: "Attested" }]);
    await waitForFreshLease(plane, NAME);
  });

  it("refuses another TPM with the same token, with the exit code that calls for an operator", async () => {
    await mkdir(join(journey.stage().workspace.dir, "thief"), { mode: 0o700 });
    const first = await runPlugin(journey.pluginArgs("thief", thief));
    expect(first).toMatchObject({ code: 3, stderr: expect.stringContaining("EndorsementKeyChanged") });
    const again = await runPlugin(journey.pluginArgs("thief", thief));
    expect(again).toMatchObject({ code: 3, stderr: expect.stringContaining("asked again after") });
  });

  it("goes on with the same request when a TPM died in the middle of a join and is back", async () => {
    const { admin, bootstrap, workspace } = journey.stage();
    const { spkiSha256 } = await readEndorsementKey({ clock: systemClock, signal: never }, thief.address);
    await admin.create<NodeIdentity>(NODE_IDENTITIES, {
      ...{ apiVersion: "countersign.dev/v1alpha1", kind: "NodeIdentity", metadata: { name: "worker-2" } },
      spec: { nodeName: "worker-2", tpm: { ek: { spkiSha256 } } },
    });
    const join2 = {
      ...{ nodeName: "worker-2", directory: join(workspace.dir, "worker-2"), clock: systemClock },
      bootstrap: { kind: "kubeconfig", path: bootstrap } as const,
    };
    await expect(joinNode({ ...join2, provider: aDyingTpm(thief) })).rejects.toMatchObject({
      code: "unavailable",
      message: expect.stringMatching(/^(TPM at .* closed the connection|connection to the TPM at .* broke)/),
    });
    const [left] = await hellosOf("worker-2");
    const back = await startSwtpm({ directory: thief.directory });
    try {
      await joinNode({ ...join2, provider: createTpmProvider({ address: back.address }) });
    } finally {
      await back.stop();
    }
    await vi.waitFor(async () => {
      const answered = (await admin.get<NodeIdentity>(NODE_IDENTITIES, { name: "worker-2" })).status?.exchanges;
      expect(answered).toMatchObject([{ helloUid: left?.metadata.uid, state: "Issued" }]);
    }, patient(10_000));
  });

  async function hellosOf(node: string): Promise<readonly CertificateSigningRequest[]> {
    const { items } = await journey.stage().admin.list<CertificateSigningRequest>(CSRS);
    return items.filter(({ metadata, spec }) => {
      const isHello = metadata.name?.startsWith("countersign-hello-") === true;
      const [, , envelope] = parsePem(Buffer.from(spec.request, "base64").toString());
      return isHello && Buffer.from(envelope?.bytes ?? []).includes(`"node":"${node}"`);
    });
  }
});

function runPlugin(args: readonly string[]): Promise<{ code: number; stderr: string }> {
  const spec = { interactive: false };
  const info = { kind: "ExecCredential", apiVersion: "client.authentication.k8s.io/v1", spec };
  const env = { ...process.env, KUBERNETES_EXEC_INFO: JSON.stringify(info) };
  return new Promise((resolve) => {
    execFile(process.execPath, args, { env, timeout: patient(60_000) }, (error, _, stderr) =>
      resolve({ code: typeof error?.code === "number" ? error.code : 0, stderr }),
    );
  });
}
