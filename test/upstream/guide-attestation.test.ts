// docs/guides/attestation.md, typed as it stands, on the embedded control plane and on a real one with
// kube-controller-manager's approver and signer beside ours; and after each promise somebody who tries to get what it
// says that nobody gets.

import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { API_CLIENT_SIGNER, KUBELET_SERVING_SIGNER } from "../../src/api/certificates/index.ts";
import { JOIN_POLICIES, NODE_IDENTITIES, type NodeIdentity } from "../../src/api/countersign/index.ts";
import { NODES } from "../../src/api/meta/index.ts";
import { createKubeClient, type KubeClient, loadKubeconfigClient } from "../../src/platform/kube/index.ts";
import { missingTools, type Swtpm, startSwtpm } from "../builders/swtpm.ts";
import { eventually } from "../contract/controller-stage.ts";
import { attack } from "../guides/attacker.ts";
import { type Desk, follow, type GuideLine, linesUnder, linkPrograms, type } from "../guides/guide.ts";
import { notRun } from "../not-run.ts";
import { locateBinary } from "./assets/binaries.mjs";
import {
  type ControlPlane,
  createWorkspace,
  KUBELET_CSR_CONTROLLERS,
  type OurController,
  startControlPlane,
  startEmbedded,
  startOurControllerProgram,
  type Workspace,
} from "./harness/index.ts";

const GUIDE = "docs/guides/attestation.md";
const CLOSE = "Close the cluster, once";
const ENROL = "A machine without Cluster API";
const LOSE = "A new board, a machine that is gone, a machine that is stolen";
const NODE = "worker-7";
const INSECURE_SIGNER = "cluster.x-k8s.io/kube-apiserver-client-kubelet-insecure";

const missing = missingTools("swtpm");

interface Stage {
  readonly plane: ControlPlane;
  readonly controller?: OurController;
}

/**
 * The guide's controller runs already. kube-controller-manager approves and signs beside it, as on a cluster of
 * kubeadm's.
 */
async function startReal(): Promise<Stage> {
  const plane = await startControlPlane({ controllers: KUBELET_CSR_CONTROLLERS });
  return { plane, controller: await startOurControllerProgram(plane) };
}

describe.skipIf(notRun("the attestation guide", missing)).each([
  ["the embedded control plane", async (): Promise<Stage> => ({ plane: await startEmbedded() }), true],
  ["a real API server", startReal, false],
] as const)("the attestation guide on %s", (_, start, isEmbedded) => {
  let stage: Stage;
  let workspace: Workspace;
  let admin: KubeClient;
  let thief: KubeClient;
  let [first, second, third]: Swtpm[] = [];
  let desk: Desk;

  beforeAll(async () => {
    workspace = await createWorkspace("guide");
    [first, second, third] = [await startSwtpm(), await startSwtpm(), await startSwtpm()];
    stage = await start();
    const { plane } = stage;
    admin = await loadKubeconfigClient(plane.adminKubeconfigPath);
    const bin = linkPrograms(workspace.dir, { kubectl: locateBinary("kubectl").path });
    const PATH = `${bin}:${process.env["PATH"] ?? ""}`;
    const env = { PATH, KUBECONFIG: plane.adminKubeconfigPath, HOME: workspace.dir };
    desk = { directory: workspace.dir, examples: { "10.0.0.1": plane.url }, env };
  });
  afterAll(async () => {
    await thief?.close();
    await admin?.close();
    await stage?.controller?.stop();
    await stage?.plane.stop();
    for (const tpm of [first, second, third]) await tpm?.stop();
    await workspace?.remove();
  });

  const lines = (heading: string) =>
    linesUnder(GUIDE, heading).filter(({ comment }) => !isEmbedded || !comment.includes("not with countersign up"));
  const beginning = (heading: string, ...words: readonly string[]): readonly GuideLine[] => {
    const found = lines(heading).filter(({ command }) => words.some((word) => command.includes(word)));
    expect(found).toHaveLength(words.length);
    return found;
  };
  /**
   * The machine's own commands: its TPM is the one that the guide says to try with, its store a directory of its own.
   */
  const onMachine = (machine: string, tpm: Swtpm | undefined): Desk => ({
    ...desk,
    examples: {
      ...desk.examples,
      "countersign node tpm": `countersign node tpm --tpm ${tpm?.address ?? ""}`,
      "--provider tpm": `--provider tpm --tpm ${tpm?.address ?? ""} --directory ${join(workspace.dir, machine)}`,
    },
  });
  const hashOf = async (tpm: Swtpm | undefined): Promise<string> => {
    const [typed] = await follow(onMachine("any", tpm), beginning(ENROL, "node tpm"));
    return /[0-9a-f]{64}/.exec(typed?.text ?? "")?.[0] ?? "";
  };
  /** Whoever copied the machine's certificate and key. */
  const holderOf = async (machine: string): Promise<KubeClient> => {
    const pem = await readFile(join(workspace.dir, machine, "pki", "kubelet-client-current.pem"), "utf8");
    const { url, caPem } = stage.plane;
    return createKubeClient({ server: url, caPem, credentials: () => ({ certPem: pem, keyPem: pem }) });
  };
  /** Any change of a policy brings the controller's round forward. */
  const retiredSoon = async () => {
    const touched = { metadata: { annotations: { touched: "yes" } } };
    await admin.patch(JOIN_POLICIES, { name: "attestation" }, touched, { type: "merge" });
    const phase = async () => (await admin.get<NodeIdentity>(NODE_IDENTITIES, { name: NODE })).status?.phase;
    await eventually("the identity to be retired", phase, (seen) => seen === "Retired");
  };
  const byToken = (nodeName: string, signerName?: string) =>
    attack({ client: thief, admin, nodeName, ...(signerName === undefined ? {} : { signerName }) });

  it("closes the cluster: then a token alone yields no certificate, under no name and no signer", async () => {
    await follow(desk, beginning(ENROL, "token create"));
    const before = `countersign node join --node-name worker-5 --token-file token --register --directory plain-5 ${stage.plane.url}`;
    expect(await type(desk, before)).toMatchObject({ code: 0 });
    await follow(desk, lines(CLOSE));
    const token = (await readFile(join(workspace.dir, "token"), "utf8")).trim();
    thief = await loadKubeconfigClient(await stage.plane.writeTokenKubeconfig("thief", token));
    expect(await byToken("worker-99")).toBe("Denied EvidenceRequired");
    const insecurely = { client: thief, admin, nodeName: "worker-98", signerName: INSECURE_SIGNER, limitMs: 3_000 };
    expect(await attack(insecurely)).not.toBe("Issued");
    const { url } = stage.plane;
    const plain = `countersign node join --node-name worker-97 --token-file token --timeout 20s --directory plain ${url}`;
    const joined = await type(desk, plain);
    expect([joined.code === 0, joined.text]).toEqual([false, expect.stringContaining("EvidenceRequired")]);
  });

  it("enrols a machine: from then on its name needs its TPM", async () => {
    const hash = await hashOf(first);
    expect(hash).not.toBe("");
    desk = { ...desk, examples: { ...desk.examples, "5c1f…": hash } };
    await follow(desk, beginning(ENROL, "identity enroll"));
    const named = { client: thief, admin, nodeName: NODE, isRuleTold: true };
    expect(await attack(named)).toBe("Denied EvidenceRequired by identity-permits-it");
    const foreign = await type(onMachine("foreign", second), beginning(ENROL, "node join")[0]?.command ?? "");
    expect(foreign.code).not.toBe(0);
    expect(foreign.text).toMatch(/EndorsementKey/);
  });

  it("joins the machine by its TPM, and gives its certificate nothing more without proof", async () => {
    await follow(onMachine("own", first), beginning(ENROL, "node join"));
    const [shown] = await follow(desk, beginning(ENROL, "identity show"));
    expect(shown?.text).toMatch(/Active/);
    const holder = await holderOf("own");
    await holder.create(NODES, { apiVersion: "v1", kind: "Node", metadata: { name: NODE } });
    expect(await attack({ client: holder, admin, nodeName: NODE })).toBe("Denied EvidenceRequired");
    expect(
      await attack({ client: holder, admin, nodeName: NODE, signerName: INSECURE_SIGNER, limitMs: 3_000 }),
    ).not.toBe("Issued");
    expect(await byToken(NODE)).toBe("Denied EvidenceRequired");
    await holder.close();
  });

  it("changes a node that joined by its token to its TPM, while its Node stays", async () => {
    const renew = "countersign node renew --directory plain-5";
    const enrolled = await type(desk, `countersign identity enroll worker-5 --ek-hash ${await hashOf(third)}`);
    expect(enrolled.code).toBe(0);
    expect((await type(desk, renew)).text).toContain("EvidenceRequired");
    const left = await type(desk, "countersign node leave --yes --keep-node --directory plain-5");
    expect(left.code).toBe(0);
    const tpm = `--provider tpm --tpm ${third?.address}`;
    const join = `countersign node join --node-name worker-5 --token-file token --directory plain-5 ${stage.plane.url}`;
    expect(await type(desk, `${join} ${tpm}`)).toMatchObject({ code: 0 });
    expect((await admin.get(NODES, { name: "worker-5" })).metadata.name).toBe("worker-5");
  });

  it("takes a new board: the old one and its certificate get nothing more", async () => {
    desk = { ...desk, examples: { ...desk.examples, "5c1f…": await hashOf(second) } };
    await follow(desk, beginning(LOSE, "identity reset"));
    expect(await byToken(NODE)).toBe("Denied EvidenceRequired");
    await follow(onMachine("new-board", second), beginning(ENROL, "node join"));
    const old = await holderOf("own");
    expect(await attack({ client: old, admin, nodeName: NODE })).toBe("Denied EvidenceRequired");
    await old.close();
    const renewed = await type(
      onMachine("own", first),
      `countersign node renew --directory own --tpm ${first?.address}`,
    );
    expect(renewed.code).not.toBe(0);
  });

  it("retires and revokes it: nothing more is signed in its name, whoever approves", async () => {
    const [retire, lift, revoke, remove] = beginning(
      LOSE,
      "identity retire worker-7",
      "--lift",
      "revoke",
      "delete node",
    );
    const holder = await holderOf("new-board");
    await follow(
      desk,
      [retire].flatMap((line) => line ?? []),
    );
    expect(await attack({ client: holder, admin, nodeName: NODE })).toBe("Denied CredentialRevoked");
    await retiredSoon();
    await follow(
      desk,
      [lift].flatMap((line) => line ?? []),
    );
    const named = { client: thief, admin, nodeName: NODE, isRuleTold: true };
    expect(await attack(named)).toBe("Denied EvidenceRequired by identity-permits-it");
    const renewed = await type(desk, `countersign node renew --directory new-board --tpm ${second?.address}`);
    expect([renewed.code === 0, renewed.text]).toEqual([false, expect.stringContaining("CredentialRevoked")]);
    await follow(onMachine("again", second), beginning(ENROL, "node join"));
    await follow(
      desk,
      [revoke].flatMap((line) => line ?? []),
    );
    expect((await type(desk, `countersign identity revoke ${NODE} --lift`)).code).toBe(0);
    const thieves = await type(desk, `countersign node renew --directory again --tpm ${second?.address}`);
    expect([thieves.code === 0, thieves.text]).toEqual([
      false,
      expect.stringMatching(/CredentialRevoked|IdentityRevoked/),
    ]);
    await follow(
      desk,
      [revoke].flatMap((line) => line ?? []),
    );
    expect(await attack({ client: holder, admin, nodeName: NODE })).toBe("Denied IdentityRevoked");
    const asServer = { client: holder, admin, nodeName: NODE, signerName: KUBELET_SERVING_SIGNER };
    expect(await attack(asServer)).toBe("Denied IdentityRevoked");
    expect(await byToken(NODE)).toBe("Denied IdentityRevoked");
    // kube-controller-manager's signer signs what a person approved; ours does not.
    const persuaded = { client: thief, admin, nodeName: NODE, signerName: API_CLIENT_SIGNER, isApproved: true };
    if (isEmbedded) expect(await attack(persuaded)).toBe("Failed IdentityRevoked");
    await follow(
      desk,
      [remove].flatMap((line) => line ?? []),
    );
    expect(await byToken(NODE)).toBe("Denied IdentityRevoked");
    const again = await type(onMachine("elsewhere", second), `countersign identity enroll worker-8 --ek-hash 5c1f…`);
    expect(again.code).not.toBe(0);
    await holder.close();
  });
});
