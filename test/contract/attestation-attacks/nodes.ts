// Nodes that want more than their own name, or more than their time (Threat model).

import { EK_LABEL, NODE_IDENTITIES } from "../../../src/api/countersign/index.ts";
import { CAPI_MACHINES_V1BETA2 } from "../../../src/api/foreign/machine.ts";
import { NODES } from "../../../src/api/meta/index.ts";
import { randomBytes } from "../../../src/platform/keys/index.ts";
import { refusalOf } from "../../builders/attesting-machine.ts";
import { aClientCertificate } from "../../builders/client-certificate.ts";
import { aSoftTpm } from "../../builders/soft-tpm.ts";
import { type AttestationStage, aFamily, ekHash } from "../attestation-stage.ts";
import { eventually } from "../controller-stage.ts";
import type { Attacks } from "./attack.ts";
import { aJoinedNode } from "./machines.ts";

/** Asks until what an operator did is known to the controller, and answers with the refusal. */
function refusedSoon(on: AttestationStage, ask: () => ReturnType<AttestationStage["read"]>) {
  return eventually(
    "a refusal",
    async () => refusalOf(await on.settled(await ask())),
    (reason) => reason !== undefined,
  );
}

export const NODE_ATTACKS: Attacks = {
  "10 a node that renews for another": {
    "with its own certificate": [
      "RequesterNotAllowed",
      async (on) => {
        const { client, family, tpm } = await aJoinedNode(on);
        return await on.refused(await on.machineFor(`${family}-2`, { intent: "renew" }, { client, tpm }).hello());
      },
    ],
    "with a certificate of the CA that no attestation gave": [
      "CredentialUnknown",
      async (on) => {
        const { machine, node } = await aJoinedNode(on);
        const subject = { user: `system:node:${node}`, groups: ["system:nodes"] };
        const client = on.stage.connect(aClientCertificate(on.stage.plane, subject));
        return await on.refused(await machine({ intent: "renew" }, { client }).hello());
      },
    ],
    "or joins anew with it": [
      "RequesterNotAllowed",
      async (on) => {
        const { machine, client } = await aJoinedNode(on);
        return await on.refused(await machine({}, { client }).hello());
      },
    ],
  },

  "11 a listed TPM of one's own, for a second name": {
    "that waits for its machine": [
      "EndorsementKeyInUse",
      async (on) => {
        const { family, tpm } = await aJoinedNode(on);
        const node = `${family}-2`;
        await on.createMachine(node);
        return await on.refused(await on.machineFor(node, {}, { tpm }).hello());
      },
    ],
    "and a renewal that names another Machine, which joins all the same": [
      "ProviderIdChanged",
      async (on) => {
        const [tpm, other] = [aSoftTpm(), aSoftTpm()];
        const { family, machine } = await on.aScene({ tpm: { endorsementKeys: [ekHash(tpm), ekHash(other)] } });
        const { node: client } = await on.join(machine({}, { tpm }));
        const victim = `${family}-2`;
        await on.createMachine(victim);
        const stolen = machine({ intent: "renew", providerId: `test:///${victim}` }, { tpm, client });
        const reason = await on.refused(await stolen.hello());
        await on.join(on.machineFor(victim, {}, { tpm: other }));
        return reason;
      },
    ],
    "challenged before the first was pinned": [
      "EndorsementKeyInUse",
      async (on) => {
        const { machine, family, tpm } = await on.aScene();
        const second = on.machineFor(`${family}-2`, {}, { tpm });
        await on.createMachine(`${family}-2`);
        const hello = await on.challenged(await second.hello());
        await on.join(machine());
        return await on.refused(await second.send(second.answer(hello)));
      },
    ],
  },

  "12 the disk of a node that is no more": {
    "of a revoked identity": [
      "IdentityRevoked",
      async (on) => {
        const { machine, node } = await aJoinedNode(on);
        await on.stage.admin.patch(NODE_IDENTITIES, { name: node }, { spec: { revoked: true } }, { type: "merge" });
        return await refusedSoon(on, () => machine().hello());
      },
    ],
    "of a node whose Machine was deleted": [
      "MachineMismatch",
      async (on) => {
        const { machine, node, client } = await aJoinedNode(on);
        await on.stage.admin.delete(CAPI_MACHINES_V1BETA2, { name: node, namespace: "default" });
        return await refusedSoon(on, () => machine({ intent: "renew" }, { client }).hello());
      },
    ],
    "of a retired node": [
      "CredentialRevoked",
      async (on) => {
        const { machine, node, client } = await aJoinedNode(on);
        await on.stage.admin.delete(NODES, { name: node });
        await on.stage.admin.delete(CAPI_MACHINES_V1BETA2, { name: node, namespace: "default" });
        // Any change of a policy brings the round of upkeep forward.
        await on.apply(aFamily(), {});
        await eventually(
          "the identity to be retired",
          () => on.identityOf(node),
          ({ status, metadata }) => status?.phase === "Retired" && metadata.labels?.[EK_LABEL] === undefined,
        );
        return await on.refused(await machine({ intent: "renew" }, { client }).hello());
      },
    ],
    "without the TPM": [
      "QuoteSignatureInvalid",
      async (on) => {
        const { machine, client } = await aJoinedNode(on);
        const answer = { secret: randomBytes(32), tpm: aSoftTpm() };
        return await on.refused(await on.prove(machine({ intent: "renew" }, { client }), answer));
      },
    ],
  },
};
