// Crashes of the controller: it is stopped after each single write of an exchange, and a
// fresh one, which knows nothing but what is in the cluster, brings the exchange to its one end: one certificate, one
// identity, no hello left. Then two that both lead at once.

import { afterEach, beforeAll, describe, expect, it } from "vitest";
import { isDecided, isIssued } from "../../src/api/certificates/index.ts";
import { NODE_IDENTITIES, type NodeIdentity } from "../../src/api/countersign/index.ts";
import { CSRS, type KubeObject, NODES, type Resource } from "../../src/api/meta/index.ts";
import { CHALLENGE_ANNOTATION, CONSUMED_BY_ANNOTATION } from "../../src/attestation/evidence/index.ts";
import { encodeHex } from "../../src/kernel/bytes/index.ts";
import { sha256 } from "../../src/kernel/crypto/index.ts";
import { Fault } from "../../src/kernel/outcome/index.ts";
import { parsePem } from "../../src/kernel/pem/index.ts";
import type { WatchOptions } from "../../src/platform/kube/client.ts";
import type { KubeClient } from "../../src/platform/kube/index.ts";
import type { AttestingMachine } from "../builders/attesting-machine.ts";
import { aSoftTpm, type SoftTpm } from "../builders/soft-tpm.ts";
import { type Csr, ekHash, nameOf, pem, type Scene, useAttestationStage } from "./attestation-stage.ts";
import { controllerIdentity, eventually, type RunningController } from "./controller-stage.ts";
import { startEmbeddedPlane } from "./embedded-plane.ts";

const on = useAttestationStage(startEmbeddedPlane);
const { stage } = on;
/** One for each machine of the tests below. */
const SCENES = 30;
const scenes: Scene[] = [];
/**
 * Prepared while a whole controller runs, which says when it has read a policy; the replicas of each test are its own.
 */
beforeAll(async () => {
  scenes.push(...(await Promise.all(Array.from({ length: SCENES }, () => on.aScene()))));
  await stage.controller.stop();
});

function aScene(): Scene {
  const scene = scenes.pop();
  if (scene === undefined) throw new Error(`${SCENES} machines are too few`);
  return scene;
}

const CONTROLLERS = ["approving", "signing", "attestation"] as const;

const running: RunningController[] = [];
afterEach(stopReplicas);

const connectAsController = () => stage.connect(controllerIdentity(stage.plane));

async function startReplica(client: KubeClient = connectAsController()): Promise<void> {
  running.push(await stage.startReplica({ client, controllers: CONTROLLERS }));
}

async function stopReplicas(): Promise<void> {
  await Promise.all(running.splice(0).map((replica) => replica.stop()));
}

interface DyingClient {
  readonly client: KubeClient;
  readonly writes: readonly string[];
  /** Requests that were read past the copy. */
  readonly reads: readonly string[];
  readonly died: Promise<void>;
}

/**
 * Writes as the controller does, on requests and identities, until the n-th was applied; then never again, nor reads.
 */
function aClientThatDiesAfter(last: number): DyingClient {
  const real = connectAsController();
  const writes: string[] = [];
  const reads: string[] = [];
  const death = new AbortController();
  const died = new Promise<void>((resolve) => death.signal.addEventListener("abort", () => resolve()));
  function requireAlive(): void {
    if (death.signal.aborted) throw new Fault("unavailable", "the process died");
  }
  async function write<T>(words: string, act: () => Promise<T>): Promise<T> {
    requireAlive();
    const answer = await act();
    requireAlive();
    writes.push(words);
    if (writes.length === last) death.abort();
    requireAlive();
    return answer;
  }
  /** A request that waits for the controller's copies to be complete is not part of the exchange. */
  const isCounted = (resource: Resource, object?: KubeObject) =>
    resource === NODE_IDENTITIES || (resource === CSRS && (object === undefined || isDecided(object as Csr)));
  const client: KubeClient = {
    ...real,
    get: async (resource, target, options) => {
      requireAlive();
      if (resource === CSRS) reads.push(target.name);
      return await real.get(resource, target, options);
    },
    create: (resource, object, options) => {
      const act = () => real.create(resource, object, options);
      return isCounted(resource) ? write(`create ${resource.kind}`, act) : act();
    },
    update: (resource, object, options) => {
      const act = () => real.update(resource, object, options);
      const words = `update ${options?.subresource ?? ""} ${resource.kind}`;
      return isCounted(resource, object) ? write(words, act) : act();
    },
    patch: (resource, target, patch, options) => {
      const act = () => real.patch<never>(resource, target, patch, options);
      return isCounted(resource) ? write(`patch ${target.subresource ?? ""} ${resource.kind}`, act) : act();
    },
    delete: (resource, target, options) => {
      const act = () => real.delete(resource, target, options);
      return isCounted(resource) ? write(`delete ${resource.kind}`, act) : act();
    },
  };
  return { client, writes, reads, died };
}

/** What the machine does, whatever happens to the controller. */
async function exchange(machine: AttestingMachine): Promise<{ readonly hello: Csr; readonly proof: Csr }> {
  const sent = await machine.hello();
  const hello = await eventually(
    "a challenge",
    () => on.read(nameOf(sent)),
    ({ metadata }) => metadata.annotations?.[CHALLENGE_ANNOTATION] !== undefined,
  );
  const answer = await machine.send(machine.answer(hello));
  return { hello, proof: await eventually("a certificate", () => on.read(nameOf(answer)), isIssued) };
}

/** One certificate and one identity, and nothing of the exchange is left open. */
async function expectOneEnd(node: string, done: { readonly hello: Csr; readonly proof: Csr }, earlier = 0) {
  const { hello, proof } = done;
  const [block] = parsePem(pem(proof));
  const delivered = encodeHex(sha256(block?.bytes ?? new Uint8Array()));
  const identity = await eventually(
    "the exchange to be over",
    () => on.identityOf(node),
    ({ status }) => (status?.exchanges ?? []).every(({ state }) => state === "Issued"),
  );
  expect(identity.status?.exchanges).toHaveLength(earlier + 1);
  expect(identity.status?.certificates).toHaveLength(earlier + 1);
  expect(identity.status?.certificates?.at(-1)).toMatchObject({ sha256: delivered, proofUid: proof.metadata.uid });
  await eventually(
    "the hello to be deleted",
    async () => (await stage.admin.list<Csr>(CSRS)).items,
    (items) => items.every(({ metadata }) => metadata.uid !== hello.metadata.uid),
  );
  const { items } = await stage.admin.list<NodeIdentity>(NODE_IDENTITIES);
  expect(items.filter(({ spec }) => spec.nodeName === node)).toHaveLength(1);
}

const USUAL_WRITES = [
  "patch status CertificateSigningRequest", // the challenge
  "patch status CertificateSigningRequest", // it is used up
  "create NodeIdentity", // the claim
  "update status NodeIdentity", // the pins, the exchange Verified
  "update approval CertificateSigningRequest", // Approved
  "update status NodeIdentity", // the certificate, before it leaves
  "update status CertificateSigningRequest", // the certificate
  "delete CertificateSigningRequest", // the hello
  "update status NodeIdentity", // Issued
];

describe("a controller that is stopped after one of its writes", () => {
  it("makes nine of them in a join, and reads no request that it has a copy of", async () => {
    const { client, writes, reads } = aClientThatDiesAfter(Number.POSITIVE_INFINITY);
    await startReplica(client);
    const { node, machine } = aScene();
    await expectOneEnd(node, await exchange(machine()));
    expect(writes).toEqual(USUAL_WRITES);
    expect(reads).toEqual([]);
  });

  it.each(USUAL_WRITES.map((write, index) => [index + 1, write] as const))(
    "%i, %s, is followed by one that ends the join",
    async (last) => {
      const { client, died } = aClientThatDiesAfter(last);
      await startReplica(client);
      const { node, machine } = aScene();
      const done = exchange(machine());
      await died;
      await stopReplicas();
      await startReplica();
      await expectOneEnd(node, await done);
    },
  );

  it.each([
    [4, "revoked"],
    [5, "revoked"],
    [5, "retired"],
  ] as const)("%i is followed by one that gives nothing to a node that was %s meanwhile", async (last, word) => {
    const { client, died } = aClientThatDiesAfter(last);
    await startReplica(client);
    const { node, machine } = aScene();
    const actor = machine();
    const proof = await actor.send(actor.answer(await on.challenged(await actor.hello())));
    await died;
    await stopReplicas();
    await stage.admin.patch(NODE_IDENTITIES, { name: node }, { spec: { [word]: true } }, { type: "merge" });
    await startReplica();
    const ended = await eventually(
      "the proof to be refused",
      () => on.read(nameOf(proof)),
      ({ status }) => status?.conditions?.some(({ type }) => type === "Denied" || type === "Failed") === true,
    );
    expect(isIssued(ended)).toBe(false);
    expect((await on.identityOf(node)).status?.certificates ?? []).toEqual([]);
  });

  it.each([5, 6, 7])("%i is followed by one that ends the renewal, after which the node renews again", async (last) => {
    await startReplica();
    const { node, machine } = aScene();
    const { node: own } = await on.join(machine());
    await stopReplicas();
    const { client, died } = aClientThatDiesAfter(last);
    await startReplica(client);
    const renewing = machine({ intent: "renew" }, { client: own });
    const done = exchange(renewing);
    await died;
    await stopReplicas();
    await startReplica();
    const renewed = await done;
    await expectOneEnd(node, renewed, 1);
    const newer = stage.connect({ certPem: pem(renewed.proof), keyPem: renewing.key.encodePem() });
    await expectOneEnd(node, await exchange(machine({ intent: "renew" }, { client: newer })), 2);
  });
});

describe("what an operator opened for one join", () => {
  /** The node of a TPM, opened for another. */
  async function anOpenedNode() {
    await startReplica();
    const { node, machine } = aScene();
    await expectOneEnd(node, await exchange(machine()));
    await stopReplicas();
    const tpm = aSoftTpm();
    return { node, successor: () => machine({}, { tpm }), open: () => open(node, tpm) };
  }
  async function open(node: string, tpm: SoftTpm): Promise<void> {
    const reset = { until: new Date(Date.now() + 3_600_000).toISOString(), ekSpkiSha256: ekHash(tpm) };
    await stage.admin.patch(NODE_IDENTITIES, { name: node }, { spec: { reset } }, { type: "merge" });
  }

  it("is closed with the claim: a crash after it leaves nothing open, and the operator's next word ends the join", async () => {
    const { node, successor, open: openAgain } = await anOpenedNode();
    await openAgain();
    const { client, writes, died } = aClientThatDiesAfter(3);
    await startReplica(client);
    const proof = await on.prove(successor());
    await died;
    await stopReplicas();
    expect(writes.at(-1)).toBe("patch  NodeIdentity");
    expect((await on.identityOf(node)).spec.reset).toBeUndefined();
    await startReplica();
    expect(await on.refused(proof)).toBe("EndorsementKeyChanged");
    await openAgain();
    await expectOneEnd(node, await exchange(successor()), 1);
    expect((await on.identityOf(node)).spec.reset).toBeUndefined();
  });

  it("is opened again where somebody's write came before the pins, and the join ends", async () => {
    const { node, successor, open: openIt } = await anOpenedNode();
    await openIt();
    await startReplica(aClientOvertakenAt(saysOfExchange("Verified")));
    await expectOneEnd(node, await exchange(successor()), 1);
    expect((await on.identityOf(node)).spec.reset).toBeUndefined();
  });
});

/**
 * Somebody else writes on the object just before the first write that is meant: what the controller knows of it is old.
 */
function aClientOvertakenAt(isMeant: (body: object) => boolean): KubeClient {
  const real = connectAsController();
  let isDue = true;
  async function overtake(resource: Resource, name: string, body: object): Promise<void> {
    if (!isDue || !isMeant(body)) return;
    isDue = false;
    const annotations = { "example.com/seen-by": "somebody" };
    await stage.admin.patch(resource, { name }, { metadata: { annotations } }, { type: "merge" });
  }
  return {
    ...real,
    update: async (resource, object, options) => {
      await overtake(resource, object.metadata.name ?? "", object);
      return await real.update(resource, object, options);
    },
    patch: async (resource, target, patch, options) => {
      await overtake(resource, target.name, patch as object);
      return await real.patch<never>(resource, target, patch, options);
    },
  };
}

function saysOfExchange(state: string): (body: object) => boolean {
  return (body) => ((body as NodeIdentity).status?.exchanges ?? []).some((exchange) => exchange.state === state);
}

describe("a controller that is overtaken by somebody's write", () => {
  it.each<[string, (body: object) => boolean]>([
    ["uses a challenge up", (body) => (body as Csr).metadata.annotations?.[CONSUMED_BY_ANNOTATION] !== undefined],
    ["pins the identity", saysOfExchange("Verified")],
    ["records the certificate", saysOfExchange("Approved")],
    ["says that it was delivered", saysOfExchange("Issued")],
  ])("as it %s reads again, and ends the join", async (_, isMeant) => {
    await startReplica(aClientOvertakenAt(isMeant));
    const { node, machine } = aScene();
    await expectOneEnd(node, await exchange(machine()));
  });
});

describe("a controller whose copies are old", () => {
  it("asks the server before it refuses a machine whose name is free again", async () => {
    const { node, machine } = aScene();
    await stage.admin.create(NODES, { apiVersion: "v1", kind: "Node", metadata: { name: node } });
    const real = connectAsController();
    async function* deaf<T extends KubeObject>(resource: Resource, options?: WatchOptions) {
      for await (const event of real.watch<T>(resource, options)) {
        if (resource !== NODES || event.type !== "DELETED") yield event;
      }
    }
    await startReplica({ ...real, watch: deaf });
    await stage.admin.delete(NODES, { name: node });
    await expectOneEnd(node, await exchange(machine()));
  });
});

describe("a controller that took over, and whose copy of the identities is old", () => {
  /** Nothing that was there before is in its copy. */
  function aClientThatKnowsNoIdentity(): KubeClient {
    const real = connectAsController();
    async function* deaf<T extends KubeObject>(resource: Resource, options?: WatchOptions) {
      for await (const event of real.watch<T>(resource, options)) {
        if (resource !== NODE_IDENTITIES || event.type === "BOOKMARK") yield event;
      }
    }
    return { ...real, watch: deaf };
  }

  it("refuses neither the challenged hello nor the proof of a renewal", async () => {
    await startReplica();
    const { node, machine } = aScene();
    const { node: own } = await on.join(machine());
    const renewing = machine({ intent: "renew" }, { client: own });
    const hello = await on.challenged(await renewing.hello());
    await stopReplicas();
    await startReplica(aClientThatKnowsNoIdentity());
    const proof = await on.issued(await renewing.send(renewing.answer(hello)));
    await stopReplicas();
    await startReplica();
    await expectOneEnd(node, { hello, proof }, 1);
  });
});

describe("two controllers that both lead", () => {
  it("give each machine one certificate and one identity", async () => {
    await startReplica();
    await startReplica();
    const machines = Array.from({ length: 6 }, aScene);
    await Promise.all(machines.map(async ({ node, machine }) => expectOneEnd(node, await exchange(machine()))));
  });
});
