// Requests that prove nothing, for nodes that have to, on a cluster as its operator finds it: no JoinPolicy covers these nodes, and the
// rights by which kube-controller-manager's approver would let them in are as kubeadm made them.

import { KUBELET_CLIENT_SIGNER, KUBELET_SERVING_SIGNER } from "../../../src/api/certificates/index.ts";
import { JOIN_POLICIES, NODE_IDENTITIES, type NodeIdentitySpec } from "../../../src/api/countersign/index.ts";
import { CSRS } from "../../../src/api/meta/index.ts";
import { generatePrivateKey } from "../../../src/platform/keys/index.ts";
import type { KubeClient } from "../../../src/platform/kube/index.ts";
import { aSoftTpm } from "../../builders/soft-tpm.ts";
import { attack, unprovenRequest } from "../../guides/attacker.ts";
import { type AttestationStage, aFamily, ekHash, INSECURE_SIGNER, pem } from "../attestation-stage.ts";
import type { Attacks } from "./attack.ts";

async function enrol(on: AttestationStage, spec: Partial<NodeIdentitySpec> = {}): Promise<string> {
  const nodeName = `${aFamily()}-1`;
  const identity = { apiVersion: "countersign.dev/v1alpha1", kind: "NodeIdentity", metadata: { name: nodeName } };
  await on.stage.admin.create(NODE_IDENTITIES, { ...identity, spec: { nodeName, ...spec } } as never);
  return nodeName;
}

/** Enrolled by its TPM, beside the Machines of others, and joined. */
async function attested(on: AttestationStage) {
  const tpm = aSoftTpm();
  const nodeName = await enrol(on, { tpm: { ek: { spkiSha256: ekHash(tpm) } } });
  const { node } = await on.join(on.machineFor(nodeName, {}, { tpm }));
  return { nodeName, client: node };
}

async function joinedInsecurely(on: AttestationStage) {
  const nodeName = `${aFamily()}-1`;
  const key = generatePrivateKey("P-256");
  await on.createMachine(nodeName);
  const csr = await on.issued(await on.askInsecurely(nodeName, {}, { key }));
  return { nodeName, client: on.stage.connect({ certPem: pem(csr), keyPem: key.encodePem() }) };
}

/** In the form of the insecure provider that has no envelope. */
async function joinedWithoutEnvelope(on: AttestationStage) {
  const nodeName = `${aFamily()}-1`;
  const key = generatePrivateKey("P-256");
  const request = unprovenRequest(nodeName, INSECURE_SIGNER, key);
  const csr = await on.issued(await on.joining.create(CSRS, request));
  return { nodeName, client: on.stage.connect({ certPem: pem(csr), keyPem: key.encodePem() }) };
}

function ask(on: AttestationStage, nodeName: string, client: KubeClient, signerName = KUBELET_CLIENT_SIGNER) {
  return attack({ client, admin: on.stage.admin, nodeName, signerName });
}

const change = (on: AttestationStage, name: string, spec: Partial<NodeIdentitySpec>) =>
  on.stage.admin.patch(NODE_IDENTITIES, { name }, { spec }, { type: "merge" });

export const UNPROVEN_ATTACKS: Attacks = {
  "24 a request without evidence, under Kubernetes' own signers and without a policy": {
    "by a token, for a node enrolled by its TPM": [
      "Denied EvidenceRequired",
      async (on) => {
        const nodeName = await enrol(on, { tpm: { ek: { spkiSha256: "ab".repeat(32) } } });
        return await ask(on, nodeName, on.joining);
      },
    ],
    "by a token, for a node that joined by its TPM": [
      "Denied EvidenceRequired",
      async (on) => ask(on, (await attested(on)).nodeName, on.joining),
    ],
    "by the node itself, for a certificate of a year": [
      "Denied EvidenceRequired",
      async (on) => {
        const { nodeName, client } = await attested(on);
        return await ask(on, nodeName, client);
      },
    ],
    "by a node that was revoked": [
      "Denied IdentityRevoked",
      async (on) => {
        const { nodeName, client } = await attested(on);
        await change(on, nodeName, { revoked: true });
        return await ask(on, nodeName, client);
      },
    ],
    "by a node that was revoked, for a serving certificate": [
      "Denied IdentityRevoked",
      async (on) => {
        const { nodeName, client } = await attested(on);
        await change(on, nodeName, { revoked: true });
        return await ask(on, nodeName, client, KUBELET_SERVING_SIGNER);
      },
    ],
    "by a node that was retired": [
      "Denied CredentialRevoked",
      async (on) => {
        const { nodeName, client } = await attested(on);
        await change(on, nodeName, { retired: true });
        return await ask(on, nodeName, client);
      },
    ],
    "by a node that was revoked, where a policy admits by Machine": [
      "Denied IdentityRevoked",
      async (on) => {
        const { nodeName, client } = await attested(on);
        await on.apply(`${nodeName}-policy`, {}, { nodeNames: nodeName, client: { admit: "Machine" } });
        await change(on, nodeName, { revoked: true });
        const ended = await ask(on, nodeName, client);
        await on.stage.admin.delete(JOIN_POLICIES, { name: `${nodeName}-policy` });
        return ended;
      },
    ],
    "by a token, for an attested node that a policy in Shadow covers": [
      "Denied EvidenceRequired",
      async (on) => {
        const { nodeName } = await attested(on);
        const shadow = { mode: "Shadow", nodeNames: nodeName, client: { admit: "Access" } } as const;
        await on.apply(`${nodeName}-shadow`, {}, shadow);
        const ended = await ask(on, nodeName, on.joining);
        await on.stage.admin.delete(JOIN_POLICIES, { name: `${nodeName}-shadow` });
        return ended;
      },
    ],
    "by a token, for a node that was enrolled after the insecure provider let it in": [
      "Denied EvidenceRequired",
      async (on) => {
        const { nodeName } = await joinedInsecurely(on);
        await change(on, nodeName, { tpm: { ek: { spkiSha256: "ab".repeat(32) } } });
        return await ask(on, nodeName, on.joining);
      },
    ],
    "approved by a person, for a node that was revoked": [
      "Failed IdentityRevoked",
      async (on) => {
        const { nodeName, client } = await attested(on);
        await change(on, nodeName, { revoked: true });
        const signerName = "kubernetes.io/kube-apiserver-client";
        return await attack({ client, admin: on.stage.admin, nodeName, signerName, isApproved: true });
      },
    ],
    "by a node that the insecure provider let in": [
      "Denied ProviderCannotRenew",
      async (on) => {
        const { nodeName, client } = await joinedInsecurely(on);
        return await ask(on, nodeName, client);
      },
    ],
    "by a node that the insecure provider let in without an envelope": [
      "Denied ProviderCannotRenew",
      async (on) => {
        const { nodeName, client } = await joinedWithoutEnvelope(on);
        return await ask(on, nodeName, client);
      },
    ],
  },
};
