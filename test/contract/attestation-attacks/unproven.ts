// Requests that prove nothing, for nodes that have to, on a cluster as its operator finds it: no JoinPolicy covers
// these nodes, and the rights by which kube-controller-manager's approver would let them in are as kubeadm made them.

import { KUBELET_CLIENT_SIGNER, KUBELET_SERVING_SIGNER } from "../../../src/api/certificates/index.ts";
import { JOIN_POLICIES, NODE_IDENTITIES, type NodeIdentitySpec } from "../../../src/api/countersign/index.ts";
import { CSRS } from "../../../src/api/meta/index.ts";
import { generatePrivateKey } from "../../../src/platform/keys/index.ts";
import type { KubeClient } from "../../../src/platform/kube/index.ts";
import { aClientCertificate } from "../../builders/client-certificate.ts";
import { aSoftTpm } from "../../builders/soft-tpm.ts";
import { attack, unprovenRequest } from "../../guides/attacker.ts";
import { type AttestationStage, aFamily, ekHash, INSECURE_SIGNER, pem } from "../attestation-stage.ts";
import { eventually } from "../controller-stage.ts";
import type { Attacks, Attempts } from "./attack.ts";

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
  const { node, csr } = await on.join(on.machineFor(nodeName, {}, { tpm }));
  return { nodeName, client: node, tpm, csr };
}

/** Attested, then retired by an operator, which the controller has written down; its requests are cleaned away. */
async function retired(on: AttestationStage) {
  const node = await attested(on);
  await change(on, node.nodeName, { retired: true });
  await retiredSoon(on, node.nodeName);
  await on.stage.admin.delete(CSRS, { name: node.csr.metadata.name ?? "" });
  return node;
}

/** Any change of a policy brings the round of upkeep forward. */
async function retiredSoon(on: AttestationStage, nodeName: string): Promise<void> {
  await on.apply(aFamily(), {});
  await eventually(
    "the identity to be retired",
    () => on.identityOf(nodeName),
    ({ status }) => status?.phase === "Retired",
  );
}

/** Of the cluster's CA, and recorded in no identity: as a join by a bootstrap token alone gives it. */
function plainHolder({ stage }: AttestationStage, nodeName: string): KubeClient {
  const subject = { user: `system:node:${nodeName}`, groups: ["system:nodes"] };
  return stage.connect(aClientCertificate(stage.plane, subject));
}

const inAnHour = () => new Date(Date.now() + 3_600_000).toISOString();

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

const AFTER_A_RETIREMENT: Attempts = {
  "by a token, once the retirement was lifted": [
    "Denied EvidenceRequired",
    async (on) => {
      const { nodeName } = await retired(on);
      await change(on, nodeName, { retired: false });
      return await ask(on, nodeName, on.joining);
    },
  ],
  "by a token, once the name was reset for a new board": [
    "Denied EvidenceRequired",
    async (on) => {
      const { nodeName } = await retired(on);
      const ekSpkiSha256 = ekHash(aSoftTpm());
      // As `countersign identity reset --ek-hash` writes it.
      const reset = { until: inAnHour(), ekSpkiSha256 };
      await change(on, nodeName, { reset, tpm: { ek: { spkiSha256: ekSpkiSha256 } }, retired: false });
      return await ask(on, nodeName, on.joining);
    },
  ],
  "by the node's certificate, once the retirement was lifted": [
    "CredentialRevoked",
    async (on) => {
      const { nodeName, client, tpm } = await retired(on);
      await change(on, nodeName, { retired: false });
      return await on.refused(await on.machineFor(nodeName, { intent: "renew" }, { client, tpm }).hello());
    },
  ],
  "by a plain certificate of the name, from before its enrolment and retirement": [
    "Denied CredentialRevoked",
    async (on) => {
      const nodeName = await enrol(on, { tpm: { ek: { spkiSha256: ekHash(aSoftTpm()) } } });
      await change(on, nodeName, { retired: true });
      return await ask(on, nodeName, plainHolder(on, nodeName));
    },
  ],
  "by a plain certificate of the name, once the controller has written the retirement down": [
    "Denied CredentialRevoked",
    async (on) => {
      const { nodeName } = await retired(on);
      return await ask(on, nodeName, plainHolder(on, nodeName));
    },
  ],
  "by a plain certificate of a name that was revoked, retired and is revoked no longer": [
    "Denied CredentialRevoked",
    async (on) => {
      const nodeName = await enrol(on, { revoked: true });
      await change(on, nodeName, { retired: true });
      await change(on, nodeName, { revoked: false });
      return await ask(on, nodeName, plainHolder(on, nodeName));
    },
  ],
};

const BY_THE_INSECURE_PROVIDER: Attempts = {
  "for a node enrolled by its provider ID": [
    "EvidenceRequired",
    async (on) => {
      const nodeName = await enrol(on, { providerId: "test:///enrolled" });
      return await on.refused(await on.askInsecurely(nodeName, { providerId: "test:///enrolled" }));
    },
  ],
  "for a node enrolled by its name": [
    "EvidenceRequired",
    async (on) => on.refused(await on.askInsecurely(await enrol(on))),
  ],
  "for an attested node whose pins an operator opened": [
    "EvidenceRequired",
    async (on) => {
      const { nodeName } = await attested(on);
      await change(on, nodeName, { reset: { until: inAnHour() } });
      return await on.refused(await on.askInsecurely(nodeName));
    },
  ],
};

export const UNPROVEN_ATTACKS: Attacks = {
  "25 a name after its retirement or revocation": AFTER_A_RETIREMENT,
  "26 the insecure provider, for what has to be proven": BY_THE_INSECURE_PROVIDER,
  "27 one provider ID, two names": {
    "enrolled with that of an attested node": [
      "MachineMismatch",
      async (on) => {
        const { nodeName } = await attested(on);
        const tpm = aSoftTpm();
        const providerId = `test:///${nodeName}`;
        const second = await enrol(on, { providerId, tpm: { ek: { spkiSha256: ekHash(tpm) } } });
        return await on.refused(await on.machineFor(second, { providerId }, { tpm }).hello());
      },
    ],
  },
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
