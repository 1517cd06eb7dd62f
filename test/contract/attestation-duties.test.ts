// What the controller owes beside its verdicts, on the embedded control plane: limits that leave no trace, waits that
// end, identities that retire, resets that are used once, alarms, and what it publishes.

import { describe, expect, it } from "vitest";
import { findCondition, VERDICT_ANNOTATION } from "../../src/api/certificates/index.ts";
import type { ConfigMap, Event, Node } from "../../src/api/core/index.ts";
import { EVIDENCE_RECIPIENT, JOIN_POLICIES, NODE_IDENTITIES } from "../../src/api/countersign/index.ts";
import { CAPI_MACHINES_V1BETA2 } from "../../src/api/foreign/machine.ts";
import { CONFIG_MAPS, CSRS, EVENTS, NODES } from "../../src/api/meta/index.ts";
import { CHALLENGE_ANNOTATION, parseRecipient } from "../../src/attestation/evidence/index.ts";
import { enrolledIdentity } from "../../src/cli/commands/identity/identities.ts";
import { TOKEN_MACHINE_ANNOTATION } from "../../src/controller/identities/token-machine.ts";
import { parseVerdict } from "../../src/controller/index.ts";
import { randomBytes } from "../../src/platform/keys/index.ts";
import { refusalOf } from "../builders/attesting-machine.ts";
import { aSoftTpm } from "../builders/soft-tpm.ts";
import { addressOf, aFamily, type Csr, ekHash, nameOf, useAttestationStage } from "./attestation-stage.ts";
import { eventually } from "./controller-stage.ts";
import { startEmbeddedPlane } from "./embedded-plane.ts";

describe("the controller's duties in attestation", () => {
  const at = useAttestationStage(startEmbeddedPlane);

  const eventsAbout = async (name: string, reason: string) => {
    const { items } = await at.stage.admin.list<Event>(EVENTS, { namespace: "default" });
    return items.filter((event) => event.involvedObject.name === name && event.reason === reason);
  };
  /** Any change of a policy brings the round of upkeep forward. */
  const upkeep = () => at.apply(aFamily(), {});
  const machineTarget = (name: string) => ({ name, namespace: "default" });

  describe("limits", () => {
    it("let the fifth hello of one requester and TPM wait, with an Event and nothing on the object", async () => {
      const { machine } = await at.aScene();
      for (let i = 0; i < 4; i++) await at.challenged(await machine().hello());
      const fifth = await machine().hello();
      await eventually(
        "the Event",
        () => eventsAbout(nameOf(fifth), "Throttled"),
        (events) => events.length === 1,
      );
      expect((await at.read(nameOf(fifth))).metadata.resourceVersion).toBe(fifth.metadata.resourceVersion);
    });

    it("let the fifth renewal of one node wait, too: it shows no key, and has one", async () => {
      const { machine, node } = await at.aScene();
      const { node: client } = await at.join(machine());
      await at.register(node);
      const renewal = () => machine({ intent: "renew" }, { client });
      const first = renewal();
      const hello = await at.challenged(await first.hello());
      for (let i = 0; i < 3; i++) await at.challenged(await renewal().hello());
      // A minute later: of those that wait one is told of in a minute.
      at.stage.controller.skip(61_000);
      try {
        const fifth = await renewal().hello();
        await eventually(
          "the Event",
          () => eventsAbout(nameOf(fifth), "Throttled"),
          (events) => events.length === 1,
        );
        // A proof is held to no such limit.
        await at.issued(await first.send(first.answer(hello)));
      } finally {
        at.stage.controller.skip(-61_000);
      }
    });

    it("tell eight junk proofs of one hello why, delete the others, and shut no good one out", async () => {
      const { machine } = await at.aScene();
      const actor = machine();
      const hello = await at.challenged(await actor.hello());
      const junk: Csr[] = [];
      for (let i = 0; i < 12; i++) junk.push(await actor.send(actor.answer(hello, { secret: randomBytes(32) })));
      const uids = new Set(junk.map(({ metadata }) => metadata.uid));
      const left = await eventually(
        "the junk to be judged",
        async () => (await at.stage.admin.list<Csr>(CSRS)).items.filter(({ metadata }) => uids.has(metadata.uid)),
        (items) => items.length <= 8 && items.every((csr) => refusalOf(csr) !== undefined),
      );
      expect(left.map(refusalOf)).toEqual(Array(8).fill("ChallengeFailed"));
      await at.issued(await actor.send(actor.answer(hello)));
    });

    it("let new nodes wait where a policy has had enough for the hour, and say so", async () => {
      const before = await at.aScene();
      await at.join(before.machine());
      const { machine } = await at.aScene({}, { limits: { newIdentitiesPerHour: 1 } });
      expect(await at.held(await machine().hello())).toBe("JoinRateExceeded");
    });
  });

  describe("waits", () => {
    it("end a quarter of an hour after the challenge was used up", async () => {
      const { machine, node } = await at.aScene();
      const { node: client } = await at.join(machine());
      await at.register(node);
      const none = { status: { addresses: [] } };
      const status = { ...machineTarget(node), subresource: "status" };
      await at.stage.admin.patch(CAPI_MACHINES_V1BETA2, status, none, { type: "merge" });
      const names = { ipAddresses: [addressOf(node)] };
      const proof = await at.prove(machine({ intent: "renew", purpose: "serving" }, { client, names }));
      await at.waiting(proof, "MachineAddressesMissing");
      at.stage.controller.skip(16 * 60_000);
      try {
        const touch = { metadata: { annotations: { touched: "yes" } } };
        await at.stage.admin.patch(CAPI_MACHINES_V1BETA2, machineTarget(node), touch, { type: "merge" });
        expect(await at.refused(proof)).toBe("WaitedTooLong");
      } finally {
        at.stage.controller.skip(-16 * 60_000);
      }
    });
  });

  describe("a denied hello", () => {
    it("is deleted after a quarter of an hour, whatever its maker put on it", async () => {
      const { machine } = await at.aScene();
      const hello = await machine({}, { metadata: { finalizers: ["example.com/mine"] } }).hello();
      expect(await at.refused(hello)).toBe("MetadataNotAllowed");
      at.stage.controller.skip(16 * 60_000);
      try {
        const touch = { metadata: { labels: { touched: "yes" } } };
        await at.stage.admin.patch(CSRS, { name: nameOf(hello) }, touch, { type: "merge" });
        await eventually(
          "the hello to be deleted",
          async () => (await at.stage.admin.list<Csr>(CSRS)).items,
          (items) => items.every(({ metadata }) => metadata.uid !== hello.metadata.uid),
        );
      } finally {
        at.stage.controller.skip(-16 * 60_000);
      }
    });
  });

  describe("a policy in Shadow", () => {
    it("says of a hello what it would do, and does nothing", async () => {
      const { machine } = await at.aScene({}, { mode: "Shadow" });
      const hello = await machine().hello();
      const seen = await eventually(
        "the verdict",
        () => at.read(nameOf(hello)),
        ({ metadata }) => metadata.annotations?.[VERDICT_ANNOTATION] !== undefined,
      );
      expect(parseVerdict(seen.metadata.annotations?.[VERDICT_ANNOTATION] ?? "")).toMatchObject({ verdict: "Allow" });
      expect(seen.metadata.annotations).not.toHaveProperty([CHALLENGE_ANNOTATION]);
      expect(seen.status?.conditions).toBeUndefined();
    });

    it("denies nobody", async () => {
      const { node } = await at.aScene({}, { mode: "Shadow" });
      const hello = await at.machineFor(node).hello();
      const seen = await eventually(
        "the verdict",
        () => at.read(nameOf(hello)),
        ({ metadata }) => metadata.annotations?.[VERDICT_ANNOTATION] !== undefined,
      );
      expect(parseVerdict(seen.metadata.annotations?.[VERDICT_ANNOTATION] ?? "")).toMatchObject({
        verdict: "Deny",
        reason: "EndorsementKeyUntrusted",
      });
      expect(findCondition(seen, "Denied")).toBeUndefined();
    });
  });

  describe("a Machine", () => {
    it("has its token to itself from the first moment", async () => {
      const { machine, family, node } = await at.aScene();
      const other = await at.stage.connectWithToken({ [TOKEN_MACHINE_ANNOTATION]: `default/${family}-other` });
      expect(await at.refused(await machine({}, { client: other.client }).hello())).toBe(
        "BootstrapTokenForOtherMachine",
      );
      const own = await at.stage.connectWithToken({ [TOKEN_MACHINE_ANNOTATION]: `default/${node}` });
      await at.challenged(await machine({}, { client: own.client }).hello());
    });

    it("may have a node of another name where the policy's template gives it", async () => {
      const { family, node, tpm } = await at.aScene({}, { machines: { nodeNameTemplate: "{machine}-[a-z]{3}" } });
      const providerId = `test:///${node}`;
      await at.join(at.machineFor(`${node}-abc`, { providerId }, { tpm }));
      const wrong = at.machineFor(`${family}-x-abc`, { providerId }, { tpm: aSoftTpm() });
      expect(["EndorsementKeyUntrusted", "MachineMismatch"]).toContain(await at.refused(await wrong.hello()));
    });
  });

  describe("an identity", () => {
    it("is retiring while its Node is there without its Machine, and retired when both are gone", async () => {
      const { machine, node } = await at.aScene();
      await at.join(machine());
      await at.register(node);
      await at.stage.admin.delete(CAPI_MACHINES_V1BETA2, machineTarget(node));
      await upkeep();
      await eventually(
        "Retiring",
        () => at.identityOf(node),
        ({ status }) => status?.phase === "Retiring",
      );
      expect((await at.identityOf(node)).status?.certificates?.some(({ revoked }) => revoked === true)).toBe(false);
      await at.stage.admin.delete(NODES, { name: node });
      await upkeep();
      const gone = await eventually(
        "Retired",
        () => at.identityOf(node),
        ({ status }) => status?.phase === "Retired",
      );
      expect(gone.status?.certificates?.every(({ revoked }) => revoked === true)).toBe(true);
    });

    it("that an operator retires lets its TPM go, and its name lives again with the next join", async () => {
      const { machine, node, family, tpm } = await at.aScene();
      await at.join(machine());
      await at.stage.admin.patch(NODE_IDENTITIES, { name: node }, { spec: { retired: true } }, { type: "merge" });
      await upkeep();
      await eventually(
        "Retired",
        () => at.identityOf(node),
        ({ status }) => status?.phase === "Retired",
      );
      await at.createMachine(`${family}-2`);
      await at.join(at.machineFor(`${family}-2`, {}, { tpm }));
      const next = aSoftTpm();
      const listed = { spec: { attestation: { tpm: { endorsementKeys: [ekHash(next)] } } } };
      await at.stage.admin.patch(JOIN_POLICIES, { name: family }, listed, { type: "merge" });
      await eventually(
        "the new TPM to be listed",
        async () => (await at.settled(await machine({}, { tpm: next }).hello())).metadata.annotations ?? {},
        (annotations) => annotations[CHALLENGE_ANNOTATION] !== undefined,
      );
      await at.join(machine({}, { tpm: next }));
      expect((await at.identityOf(node)).spec.retired).toBeUndefined();
      expect((await at.identityOf(node)).status).toMatchObject({
        phase: "Active",
        tpm: { ek: { spkiSha256: ekHash(next) } },
      });
    });

    it("that an operator retires lets its TPM go before the controller has done anything about it", async () => {
      const { machine, node, family, tpm } = await at.aScene();
      await at.join(machine());
      await at.createMachine(`${family}-2`);
      await at.stage.admin.patch(NODE_IDENTITIES, { name: node }, { spec: { retired: true } }, { type: "merge" });
      await at.join(at.machineFor(`${family}-2`, {}, { tpm }));
      expect((await at.identityOf(`${family}-2`)).status?.tpm?.ek.spkiSha256).toBe(ekHash(tpm));
    });

    it("that was enrolled with its TPM joins and renews with the one that an operator named after it", async () => {
      // Neither is listed by the policy: nobody but the operator says that it is to be believed.
      const [old, next] = [aSoftTpm(), aSoftTpm()];
      const { machine, node } = await at.aScene();
      const enrolled = enrolledIdentity({ nodeName: node, tpm: { ek: { spkiSha256: ekHash(old) } } });
      await at.stage.admin.create(NODE_IDENTITIES, enrolled);
      await at.join(machine({}, { tpm: old }));
      expect(await at.refused(await machine({}, { tpm: next }).hello())).toBe("EndorsementKeyChanged");
      // As `countersign identity reset --ek-hash` writes it.
      const { metadata, spec } = enrolledIdentity({ nodeName: node, tpm: { ek: { spkiSha256: ekHash(next) } } });
      const reset = { until: new Date(Date.now() + 3_600_000).toISOString(), ekSpkiSha256: ekHash(next) };
      const patch = { metadata: { labels: metadata.labels }, spec: { ...spec, reset } };
      await at.stage.admin.patch(NODE_IDENTITIES, { name: node }, patch, { type: "merge" });
      const { node: client } = await at.join(machine({}, { tpm: next }));
      expect((await at.identityOf(node)).spec.reset).toBeUndefined();
      expect(await at.refused(await machine({}, { tpm: old }).hello())).toBe("EndorsementKeyChanged");
      await at.register(node);
      await at.join(machine({ intent: "renew" }, { tpm: next, client }));
      expect((await at.identityOf(node)).status?.tpm?.ek).toMatchObject({ spkiSha256: ekHash(next), trust: "Bound" });
    });

    it("that was opened for a new board is not used up by the old one's renewal, and audited", async () => {
      const next = aSoftTpm();
      const { machine, node, tpm } = await at.aScene();
      const listed = { spec: { attestation: { tpm: { endorsementKeys: [ekHash(tpm), ekHash(next)] } } } };
      await at.stage.admin.patch(JOIN_POLICIES, { name: node.slice(0, -2) }, listed, { type: "merge" });
      const { node: client } = await at.join(machine());
      await at.register(node);
      const until = new Date(Date.now() + 3_600_000).toISOString();
      await at.stage.admin.patch(NODE_IDENTITIES, { name: node }, { spec: { reset: { until } } }, { type: "merge" });
      await at.join(machine({ intent: "renew" }, { client }));
      expect((await at.identityOf(node)).spec.reset).toEqual({ until });
      await upkeep();
      const isTold = ({ said, node: of }: Record<string, unknown>) =>
        said === "identity opened by an operator" && of === node;
      await eventually(
        "the audit line",
        async () => at.stage.controller.lines.filter(isTold),
        (lines) => lines.length === 1,
      );
      await at.join(machine({}, { tpm: next }));
      expect((await at.identityOf(node)).spec.reset).toBeUndefined();
      expect((await at.identityOf(node)).status?.tpm?.ek.spkiSha256).toBe(ekHash(next));
    });

    it("whose TPM was cleared renews after a reset of its clock", async () => {
      const { machine, node } = await at.aScene();
      const { node: client } = await at.join(machine());
      await at.register(node);
      const cleared = { quote: { resetCount: 0, clock: 1n } };
      expect(await at.refused(await at.prove(machine({ intent: "renew" }, { client }), cleared))).toBe(
        "TpmClockRegressed",
      );
      const reset = { until: new Date(Date.now() + 3_600_000).toISOString(), clock: true };
      await at.stage.admin.patch(NODE_IDENTITIES, { name: node }, { spec: { reset } }, { type: "merge" });
      await at.issued(await at.prove(machine({ intent: "renew" }, { client }), cleared));
      expect((await at.identityOf(node)).spec.reset).toBeUndefined();
    });
  });

  describe("the audit trail", () => {
    const linesOf = (isWanted: (line: Record<string, unknown>) => boolean) =>
      eventually(
        "the audit line",
        async () => at.stage.controller.lines.filter((line) => line["audit"] === true && isWanted(line)),
        (lines) => lines.length === 1,
      );

    it("has every challenge, an installed provider's too", async () => {
      const { node } = await at.aScene({ providers: ["machine-key"] });
      const hello = await at.challenged(await at.greetByKey(node));
      const [line] = await linesOf(({ said, csr }) => said === "request challenged" && csr === nameOf(hello));
      expect(line).toMatchObject({ node, uid: hello.metadata.uid });
    });

    it("names whose TPM it is that came for a second node", async () => {
      const { family, node, tpm, machine } = await at.aScene();
      await at.join(machine());
      await at.createMachine(`${family}-2`);
      const second = await at.machineFor(`${family}-2`, {}, { tpm }).hello();
      expect(await at.refused(second)).toBe("EndorsementKeyInUse");
      const [line] = await linesOf(({ reason, csr }) => reason === "EndorsementKeyInUse" && csr === nameOf(second));
      expect(line).toMatchObject({ holders: [node] });
    });
  });

  describe("alarms", () => {
    it("are raised by a TPM's clock that went back where the policy only warns", async () => {
      const { machine, node } = await at.aScene({ tpm: { clockRegression: "Warn" } });
      const { node: client } = await at.join(machine());
      await at.register(node);
      const proof = await at.prove(machine({ intent: "renew" }, { client }), { quote: { clock: 1n } });
      await at.issued(proof);
      await eventually(
        "the Event",
        () => eventsAbout(nameOf(proof), "TpmClockRegressed"),
        ({ length }) => length === 1,
      );
    });

    it("are raised by a Node that calls itself another machine", async () => {
      const { machine, node } = await at.aScene();
      await at.join(machine());
      const metadata = { name: node };
      const spec = { providerID: "test:///a-stranger" };
      await at.stage.admin.create<Node>(NODES, { apiVersion: "v1", kind: "Node", metadata, spec });
      await upkeep();
      await eventually(
        "the Event",
        () => eventsAbout(node, "ProviderIdMismatch"),
        ({ length }) => length === 1,
      );
    });
  });

  it("publishes the key to which evidence may be sealed", async () => {
    const { name, key } = EVIDENCE_RECIPIENT;
    const target = { namespace: "countersign-system", name };
    const { data } = await at.stage.admin.get<ConfigMap>(CONFIG_MAPS, target);
    expect(parseRecipient(data?.[key] ?? "").id).toHaveLength(8);
  });
});
