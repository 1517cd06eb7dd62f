// Another machine, with a TPM of its own, with a copy of a disk, or with no TPM at all but keys that look like one's
// (Threat model).

import { CAPI_MACHINES_V1BETA2 } from "../../../src/api/foreign/machine.ts";
import { CHALLENGE_ANNOTATION } from "../../../src/attestation/evidence/index.ts";
import { encodePem } from "../../../src/kernel/pem/index.ts";
import { HANDLE, publicKeyOf } from "../../../src/kernel/tpm/index.ts";
import { extKeyUsageExtension } from "../../../src/kernel/x509/index.ts";
import { randomBytes } from "../../../src/platform/keys/index.ts";
import { aSoftTpm, type SoftTpm } from "../../builders/soft-tpm.ts";
import { aLeafFor, aRoot, type Holder } from "../../builders/x509.ts";
import { type AttestationStage, type Csr, ekHash } from "../attestation-stage.ts";
import { eventually } from "../controller-stage.ts";
import type { Attacks } from "./attack.ts";

const YEAR_MS = 365 * 86_400_000;
const times = () => ({ notBeforeMs: Date.now() - YEAR_MS, notAfterMs: Date.now() + YEAR_MS });
const EK_USAGE = "2.23.133.8.1";

/** What a TPM shows that its maker certified. */
function certifiedBy(maker: Holder, tpm: SoftTpm, key = tpm) {
  const extensions = [extKeyUsageExtension([EK_USAGE])];
  const certificate = aLeafFor(maker, publicKeyOf(key.ek).spki, { ...times(), extensions });
  return { ek: tpm.ek.raw, ekChain: [certificate.raw] };
}

const rootsOf = (maker: Holder) => encodePem("CERTIFICATE", maker.certificate.raw);

/** A genuine TPM, nowhere listed, for a Machine that waits. */
async function comeCertified(
  on: AttestationStage,
  options: { firstUse?: "Allow"; maker?: Holder; certified?: SoftTpm },
) {
  const known = aRoot(times());
  const firstUse = options.firstUse === undefined ? {} : { firstUse: options.firstUse };
  const { node } = await on.aScene({ tpm: { roots: rootsOf(known), ...firstUse } });
  const tpm = aSoftTpm();
  const endorsement = certifiedBy(options.maker ?? known, tpm, options.certified);
  return await on.refused(await on.machineFor(node, {}, { tpm, endorsement }).hello());
}

/** The name of a Node that stands, which the attacker's own Machine bears too. */
async function comeAsNode(on: AttestationStage, labels: Readonly<Record<string, string>>) {
  const { family, tpm } = await on.aScene();
  const [node, own] = [`${family}-taken`, `${family}-2`];
  await on.register(node, labels);
  await on.createMachine(own, { addresses: [{ type: "Hostname", address: node }] });
  return await on.refused(await on.machineFor(node, { providerId: `test:///${own}` }, { tpm }).hello());
}

/** While another cluster has a Machine here: who does not say which is meant waits. */
async function besideAnother<T>(on: AttestationStage, name: string, attempt: () => Promise<T>): Promise<T> {
  await on.createMachine(name, { cluster: "two" });
  try {
    return await attempt();
  } finally {
    await on.stage.admin.delete(CAPI_MACHINES_V1BETA2, { name, namespace: "default" });
  }
}

/**
 * Of several hellos the first that waits: one that came before the controller saw what it is to wait for is challenged.
 */
async function firstHeld(on: AttestationStage, ask: () => Promise<Csr>): Promise<Csr> {
  return await eventually(
    "a hello to be waited with",
    async () => on.settledOrHeld(await ask()),
    ({ metadata }) => metadata.annotations?.[CHALLENGE_ANNOTATION] === undefined,
  );
}

async function showKey(on: AttestationStage, attributes: number) {
  const tpm = aSoftTpm({ akFields: { attributes } });
  const { machine } = await on.aScene({ tpm: { endorsementKeys: [ekHash(tpm)] } });
  return await on.refused(await machine({}, { tpm }).hello());
}

/** A node that joined, and a client with its certificate. */
export async function aJoinedNode(on: AttestationStage, policy = {}) {
  const scene = await on.aScene(policy);
  const { node: client } = await on.join(scene.machine());
  await on.register(scene.node);
  return { ...scene, client };
}

export const MACHINE_ATTACKS: Attacks = {
  "3 a genuine TPM of one's own, with a victim's name or waiting Machine": {
    "that nobody listed": [
      "EndorsementKeyUntrusted",
      async (on) => {
        const { node } = await on.aScene();
        return await on.refused(await on.machineFor(node).hello());
      },
    ],
    "certified by its maker, which is not enough": ["EndorsementKeyUntrusted", (on) => comeCertified(on, {})],
    "certified by a maker that nobody knows, where first use is allowed": [
      "EndorsementKeyUntrusted",
      (on) => comeCertified(on, { firstUse: "Allow", maker: aRoot(times()) }),
    ],
    "with the EK certificate of another TPM": [
      "EndorsementKeyMalformed",
      (on) => comeCertified(on, { firstUse: "Allow", certified: aSoftTpm() }),
    ],
    "for a node that another TPM was pinned to": [
      "EndorsementKeyChanged",
      async (on) => {
        const [own, other] = [aSoftTpm(), aSoftTpm()];
        const { machine } = await on.aScene({ tpm: { endorsementKeys: [ekHash(own), ekHash(other)] } });
        await on.join(machine({}, { tpm: own }));
        return await on.refused(await machine({}, { tpm: other }).hello());
      },
    ],
    "in the name of another Machine": [
      "MachineMismatch",
      async (on) => {
        const { family, node, tpm } = await on.aScene();
        const own = `${family}-2`;
        await on.createMachine(own, { addresses: [{ type: "Hostname", address: own }] });
        return await on.refused(await on.machineFor(node, { providerId: `test:///${own}` }, { tpm }).hello());
      },
    ],
    "in the name of another Machine, where its own has no name yet": [
      "MachineAddressesMissing",
      async (on) => {
        const { family, node, tpm } = await on.aScene();
        const own = `${family}-2`;
        await on.createMachine(own);
        const hello = await on.machineFor(node, { providerId: `test:///${own}` }, { tpm }).hello();
        return await on.held(hello);
      },
    ],
    "for a Machine that has its node": [
      "MachineMismatch",
      async (on) => {
        const { family, tpm } = await on.aScene();
        const taken = `${family}-2`;
        await on.createMachine(taken, { nodeName: `${family}-9` });
        return await on.refused(await on.machineFor(taken, {}, { tpm }).hello());
      },
    ],
    "for the Machine of another cluster": [
      "MachineNotReady",
      async (on) => {
        const { family, tpm } = await on.aScene({}, { machines: { clusterName: "one" } });
        const node = `${family}-2`;
        return await besideAnother(on, node, async () => on.held(await on.machineFor(node, {}, { tpm }).hello()));
      },
    ],
    "for its own Machine, where two clusters have some and nobody said which is meant": [
      "MachineNotReady",
      async (on) => {
        const { family, machine } = await on.aScene();
        const { hello, reason } = await besideAnother(on, `${family}-2`, async () => {
          const held = await firstHeld(on, () => machine().hello());
          return { hello: held, reason: await on.held(held) };
        });
        // And is served when it is clear whose it is.
        await on.challenged(hello);
        return reason;
      },
    ],
    "in the name of a registered Node": ["NodeNameTaken", (on) => comeAsNode(on, {})],
    "in the name of a control-plane node": [
      "NodeNameTaken",
      (on) => comeAsNode(on, { "node-role.kubernetes.io/control-plane": "" }),
    ],
    "with the token of another Machine": [
      "BootstrapTokenForOtherMachine",
      async (on) => {
        const { machine, family } = await on.aScene();
        const other = await on.stage.connectWithToken({ "countersign.dev/machine": `default/${family}-other` });
        return await eventually(
          "the token to be known",
          async () =>
            (await on.settled(await machine({}, { client: other.client }).hello())).status?.conditions?.[0]?.reason,
          (reason) => reason !== undefined,
        );
      },
    ],
  },

  "4 a software key passed off as an attestation key": {
    "a key that signs anything": ["AttestationKeyUnacceptable", (on) => showKey(on, 0x00040072)],
    "a key that may leave its TPM": ["AttestationKeyUnacceptable", (on) => showKey(on, 0x00050060)],
    "a key that was made outside": ["AttestationKeyUnacceptable", (on) => showKey(on, 0x00050052)],
    "a key with a policy in the place of its password": [
      "AttestationKeyUnacceptable",
      async (on) => {
        const tpm = aSoftTpm({ akFields: { authPolicy: new Uint8Array(32).fill(1) } });
        const { machine } = await on.aScene({ tpm: { endorsementKeys: [ekHash(tpm)] } });
        return await on.refused(await machine({}, { tpm }).hello());
      },
    ],
    "a key in software with a TPM key's words, beside the victim's EK": [
      "ChallengeFailed",
      async (on) => {
        // The victim's TPM does not open the credential for a key that it does not hold: test/upstream/tpm-attacks.
        const { machine, tpm } = await on.aScene();
        const forged: SoftTpm = { ...aSoftTpm(), ek: tpm.ek, open: () => randomBytes(32) };
        return await on.refused(await on.prove(machine({}, { tpm: forged })));
      },
    ],
    "a statement that no TPM made": [
      "QuoteMalformed",
      async (on) => {
        const { machine } = await on.aScene();
        const withoutMark = (bytes: Uint8Array) => Uint8Array.from([0, ...bytes.subarray(1)]);
        return await on.refused(
          await on.prove(machine(), { alter: (proof) => ({ ...proof, attest: withoutMark(proof.attest) }) }),
        );
      },
    ],
    "a key of the owner's hierarchy": [
      "AttestationKeyUnacceptable",
      async (on) => {
        const { machine } = await on.aScene();
        return await on.refused(await on.prove(machine(), { quote: { hierarchy: HANDLE.owner } }));
      },
    ],
  },

  "13 a copy of a live node's disk, without its TPM": {
    "joins with the TPM it has": [
      "EndorsementKeyChanged",
      async (on) => {
        const { node } = await aJoinedNode(on);
        return await on.refused(await on.machineFor(node).hello());
      },
    ],
    "renews with the copied certificate and an attestation key of its own TPM": [
      "ChallengeFailed",
      async (on) => {
        const { machine, client } = await aJoinedNode(on);
        // The challenge is for the pinned endorsement key, so the secret stays shut.
        const other: SoftTpm = { ...aSoftTpm(), open: () => randomBytes(32) };
        return await on.refused(await on.prove(machine({ intent: "renew" }, { client, tpm: other })));
      },
    ],
  },

  "14 a copy of a live node's disk and of its virtual TPM, which is noticed": {
    "whose TPM's clock is behind": [
      "TpmClockRegressed",
      async (on) => {
        const { machine, client } = await aJoinedNode(on);
        return await on.refused(await on.prove(machine({ intent: "renew" }, { client }), { quote: { clock: 1n } }));
      },
    ],
    "whose certificate was followed by two": [
      "CredentialSuperseded",
      async (on) => {
        const { machine, client } = await aJoinedNode(on);
        const second = await on.join(machine({ intent: "renew" }, { client }));
        await on.join(machine({ intent: "renew" }, { client: second.node }));
        return await on.refused(await machine({ intent: "renew" }, { client }).hello());
      },
    ],
    "after another boot than the policy lists": [
      "PcrPolicyViolation",
      async (on) => {
        const allowed = [{ index: 0, values: ["11".repeat(32)] }];
        const { machine } = await on.aScene({ tpm: { pcrs: { rule: "Match", select: [0, 7], allowed } } });
        return await on.refused(await on.prove(machine()));
      },
    ],
    "after another boot than its first": [
      "PcrPolicyViolation",
      async (on) => {
        const { machine, client } = await aJoinedNode(on, { tpm: { pcrs: { rule: "PinFirst", select: [7] } } });
        const values = [new Uint8Array(32).fill(0xee)];
        return await on.refused(await on.prove(machine({ intent: "renew" }, { client }), { quote: { values } }));
      },
    ],
  },

  "16 another attestation agent of the machine as an oracle": {
    "which quotes with its own key": [
      "QuoteSignatureInvalid",
      async (on) => {
        const { machine } = await on.aScene();
        return await on.refused(await on.prove(machine(), { tpm: aSoftTpm() }));
      },
    ],
    "which opens credentials for its own key only": [
      "ChallengeFailed",
      async (on) => {
        const { machine, tpm } = await on.aScene();
        // The agent's key stands beside our endorsement key; ours is another one, by its template.
        const agent: SoftTpm = { ...aSoftTpm(), ek: tpm.ek, open: () => randomBytes(32) };
        return await on.refused(await on.prove(machine({}, { tpm: agent })));
      },
    ],
  },
};
