// Attestation on an API server, whichever: a machine with a TPM joins, renews and serves; what it was given ends when
// it should. The attackers are in attestation-attacks/ and stand on the same stage.

import { describe, expect, it } from "vitest";
import { findCondition, KUBELET_SERVING_SIGNER, SERVING_USAGES } from "../../src/api/certificates/index.ts";
import type { ConfigMap } from "../../src/api/core/index.ts";
import { EK_LABEL, JOIN_POLICIES, NODE_IDENTITIES, type NodeIdentity } from "../../src/api/countersign/index.ts";
import { CAPI_MACHINES_V1BETA2 } from "../../src/api/foreign/machine.ts";
import { CONFIG_MAPS, CSRS } from "../../src/api/meta/index.ts";
import {
  BEACON_CONFIG_MAP,
  CHALLENGE_ANNOTATION,
  draftRequest,
  finishRequest,
  transcriptDigest,
} from "../../src/attestation/evidence/index.ts";
import { enrolledIdentity } from "../../src/cli/commands/identity/identities.ts";
import { encodeHex, parseBase64 } from "../../src/kernel/bytes/index.ts";
import { sha256 } from "../../src/kernel/crypto/index.ts";
import { parsePem } from "../../src/kernel/pem/index.ts";
import { parseCertificate } from "../../src/kernel/x509/index.ts";
import { generatePrivateKey } from "../../src/platform/keys/index.ts";
import { anAttestingMachine, refusalOf } from "../builders/attesting-machine.ts";
import { aCsr, forNode, withSan, withSigner, withUsages } from "../builders/csr.ts";
import { aSoftTpm } from "../builders/soft-tpm.ts";
import { attack, unprovenRequest } from "../guides/attacker.ts";
import { describeAttacks } from "./attestation-attacks/index.ts";
import {
  addressOf,
  aFamily,
  bare,
  CLIENT_SIGNER,
  type Csr,
  ekHash,
  MACHINE_KEY_SIGNER,
  nameOf,
  pem,
  useAttestationStage,
} from "./attestation-stage.ts";
import { eventually, type Plane } from "./controller-stage.ts";

const MERGE = { type: "merge" } as const;

export function describeAttestation(where: string, startPlane: () => Promise<Plane>): void {
  describe(`attestation on ${where}`, () => {
    const on = useAttestationStage(startPlane);
    const { stage, aScene, apply, createMachine, statement, machineFor, register, askInsecurely } = on;
    const { challenged, settled, issued, refused, waiting, identityOf, prove, join } = on;

    describe("an honest machine", () => {
      it("joins by its TPM, and the identity holds what it proved", async () => {
        const { machine, node, tpm } = await aScene();
        const actor = machine();
        const hello = await actor.hello();
        const seen = await challenged(hello);
        expect(seen.metadata.annotations?.["cluster.x-k8s.io/tpm-endorsement-key"]).toContain("PUBLIC KEY");
        const proof = await issued(await actor.send(actor.answer(seen)));
        expect(findCondition(proof, "Approved")).toMatchObject({
          reason: "Attested",
          message: expect.stringContaining("provider tpm/1, level Listed"),
        });
        const identity = await eventually(
          "the exchange to be issued",
          () => identityOf(node),
          ({ status }) => status?.exchanges?.[0]?.state === "Issued",
        );
        const [block] = parsePem(pem(proof));
        expect(identity.status).toMatchObject({
          phase: "Active",
          provider: "tpm",
          providerId: `test:///${node}`,
          tpm: { ek: { spkiSha256: ekHash(tpm), trust: "Listed" } },
          machine: { namespace: "default", name: node },
          exchanges: [{ proofUid: proof.metadata.uid, helloUid: hello.metadata.uid, signerName: CLIENT_SIGNER }],
          certificates: [{ sha256: encodeHex(sha256(block?.bytes ?? new Uint8Array())), purpose: "Client" }],
        });
        expect(identity.metadata.labels?.[EK_LABEL]).toHaveLength(52);
        await eventually(
          "the hello to be deleted",
          () => stage.admin.list<Csr>(CSRS),
          ({ items }) => items.every(({ metadata }) => metadata.uid !== hello.metadata.uid),
        );
      });

      it("joins bare metal that an operator enrolled beforehand", async () => {
        const family = aFamily();
        const node = `${family}-1`;
        const tpm = aSoftTpm();
        await apply(family, {}, { machines: { clusterName: "none-of-these", namespace: "nowhere" } });
        await stage.admin.create<NodeIdentity>(NODE_IDENTITIES, {
          apiVersion: "countersign.dev/v1alpha1",
          kind: "NodeIdentity",
          metadata: { name: node },
          spec: { nodeName: node, tpm: { ek: { spkiSha256: ekHash(tpm) } } },
        });
        await join(machineFor(node, {}, { tpm }));
        expect((await identityOf(node)).status?.tpm?.ek.trust).toBe("Bound");
      });

      it("joins a registered node by the TPM that an operator enrolled for its name since", async () => {
        const { node, machine } = await aScene();
        await register(node);
        expect(await refused(await machine().hello())).toBe("NodeNameTaken");
        const tpm = aSoftTpm();
        const enrolled = enrolledIdentity({ nodeName: node, tpm: { ek: { spkiSha256: ekHash(tpm) } } });
        await stage.admin.create<NodeIdentity>(NODE_IDENTITIES, enrolled);
        await join(machine({}, { tpm }));
        expect((await identityOf(node)).status?.tpm?.ek).toMatchObject({ spkiSha256: ekHash(tpm), trust: "Bound" });
      });

      it("joins again by its TPM once a retirement was lifted, and the certificates of before stay revoked", async () => {
        const { node, machine } = await aScene();
        await join(machine());
        const say = (spec: object) => stage.admin.patch(NODE_IDENTITIES, { name: node }, { spec }, { type: "merge" });
        await say({ retired: true });
        await apply(aFamily(), {});
        await eventually(
          "the identity to be retired",
          () => identityOf(node),
          (seen) => seen.status?.phase === "Retired",
        );
        await say({ retired: false });
        await join(machine());
        const { spec, status } = await identityOf(node);
        expect([spec.retired, status?.phase]).toEqual([undefined, "Active"]);
        expect(status?.certificates?.map(({ revoked = false }) => revoked)).toEqual([true, false]);
      });

      it("lets a retired name be joined by a token, and that node renew", async () => {
        const node = `${aFamily()}-1`;
        const spec = { nodeName: node, tpm: { ek: { spkiSha256: ekHash(aSoftTpm()) } }, retired: true };
        await stage.admin.create<NodeIdentity>(NODE_IDENTITIES, enrolledIdentity(spec));
        const key = generatePrivateKey("P-256");
        const csr = await issued(await on.joining.create(CSRS, unprovenRequest(node, undefined, key)));
        const client = stage.connect({ certPem: pem(csr), keyPem: key.encodePem() });
        expect(await attack({ client, admin: stage.admin, nodeName: node })).toBe("Issued");
      });

      it("renews by a second exchange and is given a serving certificate", async () => {
        const { machine, node } = await aScene();
        const first = await join(machine());
        await register(node);
        const second = await join(machine({ intent: "renew" }, { client: first.node }));
        const serving = machine(
          { intent: "renew", purpose: "serving" },
          { client: second.node, names: { ipAddresses: [addressOf(node)] } },
        );
        const csr = await issued(await prove(serving));
        const [block] = parsePem(pem(csr));
        expect(parseCertificate(block?.bytes ?? new Uint8Array()).subjectAltNames?.ipAddresses).toEqual([
          addressOf(node),
        ]);
        expect((await identityOf(node)).status?.certificates?.map(({ purpose }) => purpose)).toEqual([
          "Client",
          "Client",
          "Serving",
        ]);
      });

      it("renews by beacon where the policy says so", async () => {
        const { machine, node } = await aScene({ renewalBeacon: true });
        const first = await join(machine());
        await register(node);
        const { namespace, name, key } = BEACON_CONFIG_MAP;
        const beacon = await eventually(
          "the beacon to be published",
          async () => (await stage.admin.list<ConfigMap>(CONFIG_MAPS, { namespace })).items,
          (items) => items.some(({ metadata }) => metadata.name === name),
        );
        const text = beacon.find(({ metadata }) => metadata.name === name)?.data?.[key] ?? "";
        const actor = machine({ intent: "renew" }, { client: first.node });
        await issued(await actor.send(actor.beaconRenewal(text)));
      });

      it("waits for its Machine and is challenged when it comes", async () => {
        const { family, tpm } = await aScene();
        const node = `${family}-2`;
        const hello = await machineFor(node, {}, { tpm }).hello();
        await waiting(hello, "MachineNotReady");
        await createMachine(node);
        await challenged(hello);
      });

      it("joins as a member of a MachinePool, under a name that the template gives, and once", async () => {
        const machines = { nodeNameTemplate: "{machine}-[0-9]+" };
        const [tpm, other] = [aSoftTpm(), aSoftTpm()];
        const { family } = await aScene({ tpm: { endorsementKeys: [ekHash(tpm), ekHash(other)] } }, { machines });
        const pool = `${family}-pool`;
        const [providerId, node] = [`test:///${pool}/i-1`, `${pool}-1`];
        const hello = await machineFor(node, { providerId }, { tpm }).hello();
        await waiting(hello, "MachineNotReady");
        await on.createPool(pool, [providerId, `test:///${pool}/i-2`]);
        await challenged(hello);
        const actor = machineFor(node, { providerId }, { tpm });
        const { node: client } = await join(actor);
        expect((await identityOf(node)).status).toMatchObject({ providerId, machine: { name: pool } });
        await register(node);
        await join(machineFor(node, { providerId, intent: "renew" }, { tpm, client }));
        // A pool gives many names: the instance that has one takes no other.
        const second = machineFor(`${pool}-2`, { providerId }, { tpm: other });
        expect(await refused(await second.hello())).toBe("MachineMismatch");
        const stray = machineFor(`${family}-stray`, { providerId: `test:///${pool}/i-2` }, { tpm: other });
        expect(await refused(await stray.hello())).toBe("MachineMismatch");
      });

      it("joins again after it was re-imaged: the pins are its own", async () => {
        const { machine, node } = await aScene();
        await join(machine());
        await register(node);
        await join(machine());
      });

      it("has its kubelet's own serving request approved by custody", async () => {
        const { machine, node } = await aScene(
          {},
          {
            serving: { inventory: { machineAddresses: true } },
            machines: { nameFrom: ["MachineName"] },
          },
        );
        const { node: client } = await join(machine());
        const { spec } = aCsr(
          forNode(node),
          withSigner(KUBELET_SERVING_SIGNER),
          withUsages(...SERVING_USAGES),
          withSan({ ipAddresses: [addressOf(node)] }),
        );
        const sent = await client.create<Csr>(CSRS, bare(spec));
        await issued(sent);
      });

      it("is given no serving certificate where the policy leaves those to people, however it asks", async () => {
        const inventory = { machineAddresses: true };
        const { machine, node, family } = await aScene(
          {},
          { serving: { approve: false, inventory }, machines: { nameFrom: ["MachineName"] } },
        );
        const { node: client } = await join(machine());
        const names = { ipAddresses: [addressOf(node)] };
        const hello = await machine({ intent: "renew", purpose: "serving" }, { client, names }).hello();
        await waiting(hello, "ServingIsLeftToPeople");
        const { spec } = aCsr(
          ...[forNode(node), withSigner(KUBELET_SERVING_SIGNER), withUsages(...SERVING_USAGES), withSan(names)],
        );
        const own = await client.create<Csr>(CSRS, bare(spec));
        await waiting(own, "ServingIsLeftToPeople");
        // Its client certificate it renews as before; and a policy that changes its mind brings both back.
        await join(machine({ intent: "renew" }, { client }));
        await stage.admin.patch(JOIN_POLICIES, { name: family }, { spec: { serving: { approve: true } } }, MERGE);
        await challenged(hello);
        await issued(own);
      });
    });

    describe("the insecure provider", () => {
      it("lets a machine in once, and says that nothing was proven", async () => {
        const { node } = await aScene({ providers: ["insecure"] });
        const csr = await issued(await askInsecurely(node));
        expect(findCondition(csr, "Approved")).toMatchObject({
          reason: "Unattested",
          message: expect.stringContaining("level Unattested"),
        });
        expect(await refused(await askInsecurely(node))).toBe("FirstUseSpent");
      });

      it("neither renews nor serves", async () => {
        const { node } = await aScene({ providers: ["insecure"] });
        expect(await refused(await askInsecurely(node, { intent: "renew" }))).toBe("ProviderCannotRenew");
      });
    });

    describe("an installed provider", () => {
      /** Hello and proof as the SDK's node side makes them. */
      async function proveByKey(
        node: string,
        { spoil = (digest: string) => digest, serial = "42" } = {},
      ): Promise<Csr> {
        const protocol = { provider: "machine-key", version: 1 };
        const claimed = statement(node, { signer: MACHINE_KEY_SIGNER, offered: ["machine-key/1"] });
        const key = generatePrivateKey("P-256");
        const actor = anAttestingMachine({ client: on.joining, statement: claimed, key, protocol });
        const draft = draftRequest({ step: "hello", statement: claimed, protocol, key: key.signer });
        const body = { kind: "installed", value: { serial } } as const;
        const hello = await challenged(await actor.send(finishRequest(draft, { body })));
        const answer = draftRequest({ step: "proof", statement: claimed, protocol, key: key.signer });
        const freshness = {
          kind: "challenge",
          helloRequest: parseBase64(hello.spec.request),
          helloUid: hello.metadata.uid ?? "",
          annotation: hello.metadata.annotations?.[CHALLENGE_ANNOTATION] ?? "",
        } as const;
        const digest = transcriptDigest({
          statement: claimed,
          protocol,
          spki: answer.spki,
          cri: answer.cri,
          freshness,
        });
        const value = { digest: spoil(encodeHex(digest)) };
        const named = { name: nameOf(hello), uid: hello.metadata.uid ?? "" };
        return await actor.send(finishRequest(answer, { body: { kind: "installed", value }, hello: named }));
      }

      it("joins by challenge, and its pins are kept", async () => {
        const { node } = await aScene({ providers: ["machine-key"] });
        const csr = await issued(await proveByKey(node));
        expect(findCondition(csr, "Approved")?.message).toContain("provider machine-key/1, level Key");
        expect((await identityOf(node)).status).toMatchObject({ provider: "machine-key", pins: { serial: "42" } });
      });

      it("refuses in its own words", async () => {
        const { node } = await aScene({ providers: ["machine-key"] });
        expect(await refused(await proveByKey(node, { spoil: () => "00" }))).toBe("ProofInvalid");
      });

      it("is held to its pins, and to none after an operator's reset, once", async () => {
        const { node } = await aScene({ providers: ["machine-key"] });
        await issued(await proveByKey(node));
        expect(await refused(await proveByKey(node, { serial: "43" }))).toBe("SerialChanged");
        const until = new Date(Date.now() + 3_600_000).toISOString();
        await stage.admin.patch(NODE_IDENTITIES, { name: node }, { spec: { reset: { until } } }, MERGE);
        await issued(await proveByKey(node, { serial: "43" }));
        const { spec, status } = await identityOf(node);
        expect([spec.reset, status?.pins]).toEqual([undefined, { serial: "43" }]);
        expect(await refused(await proveByKey(node))).toBe("SerialChanged");
      });
    });

    describe("what was given", () => {
      it("is over when Machine and Node are gone, and the TPM may serve another", async () => {
        const { machine, node, family, tpm } = await aScene();
        await join(machine());
        await stage.admin.delete(CAPI_MACHINES_V1BETA2, { name: node, namespace: "default" });
        // Any change of a policy brings the round of upkeep forward.
        await apply(aFamily(), {});
        const retired = await eventually(
          "the identity to be retired",
          () => identityOf(node),
          ({ status, metadata }) => status?.phase === "Retired" && metadata.labels?.[EK_LABEL] === undefined,
        );
        expect(retired.status?.certificates).toMatchObject([{ revoked: true }]);
        await createMachine(`${family}-2`);
        await join(machineFor(`${family}-2`, {}, { tpm }));
      });

      it("is given anew to another TPM after an operator's reset, once", async () => {
        const [own, other] = [aSoftTpm(), aSoftTpm()];
        const { node, machine } = await aScene({ tpm: { endorsementKeys: [ekHash(own), ekHash(other)] } });
        await join(machine({}, { tpm: own }));
        const until = new Date(Date.now() + 3_600_000).toISOString();
        const spec = { reset: { until, ekSpkiSha256: ekHash(other) } };
        await stage.admin.patch(NODE_IDENTITIES, { name: node }, { spec }, { type: "merge" });
        await eventually(
          "the other TPM to be challenged",
          async () => (await settled(await machine({}, { tpm: other }).hello())).metadata.annotations ?? {},
          (annotations) => annotations[CHALLENGE_ANNOTATION] !== undefined,
        );
        await join(machine({}, { tpm: other }));
        const identity = await identityOf(node);
        expect(identity.status?.tpm?.ek.spkiSha256).toBe(ekHash(other));
        expect(identity.spec.reset).toBeUndefined();
        await eventually(
          "the first TPM to be refused",
          async () => refusalOf(await settled(await machine({}, { tpm: own }).hello())),
          (reason) => reason === "EndorsementKeyChanged",
        );
      });
    });

    describeAttacks(on);
  });
}
