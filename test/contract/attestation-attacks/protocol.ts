// Attackers between machine and API server, signers that a machine is talked into, and approvals without judgement
// (Threat model).

import { findCondition } from "../../../src/api/certificates/index.ts";
import { NODE_IDENTITIES } from "../../../src/api/countersign/index.ts";
import { CSRS, NODES } from "../../../src/api/meta/index.ts";
import { parseBase64, parseUtf8 } from "../../../src/kernel/bytes/index.ts";
import { isFault } from "../../../src/kernel/outcome/index.ts";
import { encodePem, parsePem } from "../../../src/kernel/pem/index.ts";
import { parseCertificate, parseCertificateRequest, signCertificate } from "../../../src/kernel/x509/index.ts";
import { parsePrivateKey } from "../../../src/platform/keys/index.ts";
import { createKubeClient, type KubeClient } from "../../../src/platform/kube/index.ts";
import { aCsr, forNode, withSigner } from "../../builders/csr.ts";
import { answerJson, startTestServer } from "../../fakes/https-server.ts";
import { startTcpProxy } from "../../fakes/tcp-proxy.ts";
import { type AttestationStage, bare, type Csr, INSECURE_SIGNER, nameOf } from "../attestation-stage.ts";
import { eventually } from "../controller-stage.ts";
import type { Attacks } from "./attack.ts";
import { aJoinedNode } from "./machines.ts";
import { answerTo } from "./strangers.ts";

const OTHER_CLUSTER = `sha256:${"00".repeat(32)}`;

/** A client of the cluster that believes its CA and finds it at this address. */
function clientAt(on: AttestationStage, server: string, token = "abcdef.0123456789abcdef"): KubeClient {
  return createKubeClient({ server, caPem: on.stage.plane.caPem, credentials: () => ({ token }) });
}

/** Approves as a person would who looks at nothing, and answers with what the signer made of it. */
async function approveByHand(on: AttestationStage, csr: Csr): Promise<string | undefined> {
  const condition = { type: "Approved", status: "True", reason: "ByHand", message: "looks fine" } as const;
  await on.stage.admin.update<Csr>(CSRS, { ...csr, status: { conditions: [condition] } }, { subresource: "approval" });
  const failed = await eventually(
    "the signer to refuse",
    () => on.read(nameOf(csr)),
    (seen) => findCondition(seen, "Failed") !== undefined,
  );
  return findCondition(failed, "Failed")?.reason;
}

/** What a careless signer would make of a hello: its key, its subject, and no usage but the one it asks for. */
function signCarelessly({ stage }: AttestationStage, hello: Csr): string {
  const [request] = parsePem(parseUtf8(parseBase64(hello.spec.request)));
  const [ca] = parsePem(stage.plane.caPem);
  const { subject, publicKey } = parseCertificateRequest(request?.bytes ?? new Uint8Array());
  const times = { notBeforeMs: Date.now() - 60_000, notAfterMs: Date.now() + 60_000 };
  const issuer = parseCertificate(ca?.bytes ?? new Uint8Array()).subject.raw;
  const names = { serialNumber: Uint8Array.of(9), subject: subject.raw, issuer };
  const template = { ...names, ...times, publicKey: publicKey.spki, extensions: [] };
  return encodePem("CERTIFICATE", signCertificate(template, parsePrivateKey(stage.plane.caKeyPem).signer));
}

export const PROTOCOL_ATTACKS: Attacks = {
  "15 our challenge relayed to a victim that joins another cluster": {
    "whose quote then speaks of that cluster": [
      "ChallengeFailed",
      async (on) => {
        const { machine } = await on.aScene();
        return await on.refused(await on.prove(machine(), { quoted: { statement: { cluster: OTHER_CLUSTER } } }));
      },
    ],
    "whose whole request speaks of that cluster": [
      "ClusterMismatch",
      async (on) => {
        const { machine } = await on.aScene();
        return await on.refused(await on.prove(machine(), { statement: { cluster: OTHER_CLUSTER } }));
      },
    ],
    "or a hello for that cluster brought here": [
      "ClusterMismatch",
      async (on) => {
        const { machine } = await on.aScene();
        return await on.refused(await machine({ cluster: OTHER_CLUSTER }).hello());
      },
    ],
    "with the answer to another hello": [
      "ChallengeFailed",
      async (on) => {
        const { machine } = await on.aScene();
        const actor = machine();
        const [asked, other] = [await on.challenged(await actor.hello()), await on.challenged(await machine().hello())];
        const { uid } = asked.metadata;
        const mixed = { ...other, metadata: { ...other.metadata, ...(uid === undefined ? {} : { uid }) } };
        const proof = actor.answer({ ...mixed, metadata: { ...mixed.metadata, name: nameOf(asked) } });
        return await on.refused(await actor.send(proof));
      },
    ],
  },

  "17 a position between machine and API server": {
    "with a certificate of its own": [
      "untrusted",
      async (on) => {
        const { machine } = await on.aScene();
        const between = await startTestServer((_, response) => answerJson(response, 200, {}));
        const client = clientAt(on, between.url);
        try {
          return await answerTo(machine({}, { client }).hello());
        } finally {
          await client.close();
          await between.close();
        }
      },
    ],
    "that cuts the line: a delay, and nothing else": [
      "issued",
      async (on) => {
        const { machine } = await on.aScene();
        const line = await startTcpProxy(on.stage.plane.url);
        const { token } = await on.stage.connectWithToken();
        const client = clientAt(on, line.url, token);
        try {
          const actor = machine({}, { client });
          const hello = await on.challenged(await actor.hello());
          const proof = actor.answer(hello);
          line.takeAway();
          if ((await answerTo(actor.send(proof))) !== "unavailable") return "not cut";
          line.giveBack();
          await on.issued(await actor.send(proof));
          return "issued";
        } finally {
          await client.close();
          await line.close();
        }
      },
    ],
  },

  "18 a downgrade": {
    "to a version that nobody knows, which says what is known": [
      "VersionUnsupported",
      async (on) => {
        const { machine } = await on.aScene();
        const actor = machine({ offered: ["tpm/2", "tpm/1"] }, { protocol: { provider: "tpm", version: 2 } });
        const hello = await actor.hello();
        const reason = await on.refused(hello);
        const supported = (await on.read(nameOf(hello))).metadata.annotations?.["countersign.dev/supported-versions"];
        return supported === '["tpm/1"]' ? reason : `${reason}, and not what is`;
      },
    ],
    "below the version that the node was attested with": [
      "Downgrade",
      async (on) => {
        const { machine, node, client } = await aJoinedNode(on);
        const target = { name: node, subresource: "status" };
        await on.stage.admin.patch(NODE_IDENTITIES, target, { status: { protocolFloor: "tpm/2" } }, { type: "merge" });
        return await eventually(
          "the floor to be known",
          async () =>
            findCondition(await on.settled(await machine({ intent: "renew" }, { client }).hello()), "Denied")?.reason,
          (reason) => reason !== undefined,
        );
      },
    ],
    "by a list that changed on the way": [
      "HelloMismatch",
      async (on) => {
        const { machine } = await on.aScene();
        const actor = machine({ offered: ["tpm/2", "tpm/1"] });
        return await on.refused(await on.prove(actor, { statement: { offered: ["tpm/1"] } }));
      },
    ],
    "to the insecure provider": [
      "ProviderNotAuthorized",
      async (on) => {
        const { node } = await on.aScene();
        return await on.refused(await on.askInsecurely(node));
      },
    ],
    "to the insecure provider, where it is authorized and the node was attested": [
      "ProviderChanged",
      async (on) => {
        const { node } = await aJoinedNode(on, { providers: ["tpm", "insecure"] });
        return await on.refused(await on.askInsecurely(node));
      },
    ],
    "to the insecure signer without evidence": [
      "EnvelopeMalformed",
      async (on) => {
        const { node } = await aJoinedNode(on);
        const { spec } = aCsr(forNode(node), withSigner(INSECURE_SIGNER));
        return await on.refused(await on.joining.create<Csr>(CSRS, bare(spec)));
      },
    ],
  },

  "19 a request that somebody approves, or signs, without looking": {
    "a hello, approved by hand": [
      "ApprovalWithoutAttestation",
      async (on) => {
        const { machine, family } = await on.aScene();
        const stray = machine({ node: `${family}-2`, providerId: "test:///nobody-waits-for-this-one" });
        return await approveByHand(on, await on.waiting(await stray.hello(), "MachineNotReady"));
      },
    ],
    "a proof, approved by hand before it was judged": [
      "ApprovalWithoutAttestation",
      async (on) => {
        const { machine } = await on.aScene();
        const actor = machine();
        const hello = await on.challenged(await actor.hello());
        await on.stage.controller.stop();
        const proof = await actor.send(actor.answer(hello, { secret: new Uint8Array(32) }));
        const condition = { type: "Approved", status: "True", reason: "ByHand", message: "looks fine" } as const;
        await on.stage.admin.update<Csr>(
          CSRS,
          { ...proof, status: { conditions: [condition] } },
          { subresource: "approval" },
        );
        await on.stage.startAgain();
        return await on.refused(proof);
      },
    ],
    "a hello, signed: a name that may do nothing": [
      "forbidden",
      async (on) => {
        const { machine } = await on.aScene();
        const actor = machine();
        const certPem = signCarelessly(on, await actor.hello());
        const nobody = on.stage.connect({ certPem, keyPem: actor.key.encodePem() });
        try {
          await nobody.list(NODES);
          return "listed";
        } catch (error) {
          if (isFault(error)) return error.code;
          throw error;
        }
      },
    ],
  },
};
