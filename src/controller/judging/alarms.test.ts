// An alarm is raised once, by whoever's write it came with: a write that was overtaken, and is tried again, raises
// none.

import { describe, expect, it } from "vitest";
import { aPolicy } from "../../../test/builders/csr-facts.ts";
import {
  aBeaconRenewal,
  aMachine,
  aNodeUser,
  anIdentity,
  anObject,
  CLUSTER,
  CREDENTIAL,
  KEYS,
  NOW_MS,
  PROOF_UID,
  someStatement,
} from "../../../test/builders/exchange.ts";
import { aSoftTpm } from "../../../test/builders/soft-tpm.ts";
import { signersOfProvider } from "../../api/certificates/index.ts";
import type { NodeIdentity, Policy } from "../../api/countersign/index.ts";
import { draftRequest, finishRequest } from "../../attestation/evidence/index.ts";
import type { HelloStep, Provider } from "../../attestation/provider.ts";
import { type ChallengeFacts, type RequestObject, readEvidence } from "../../attestation/rules/index.ts";
import { Fault, type Verdict } from "../../kernel/outcome/index.ts";
import { generatePrivateKey } from "../../platform/keys/index.ts";
import { createProviders } from "./exchange/providers.ts";
import { runExchange } from "./exchange/run.ts";
import type { AttestationWorld, EvidenceLook, ProviderVerifier } from "./exchange/world.ts";

const [SIGNER] = signersOfProvider("acme");
const acme: ProviderVerifier = {
  name: "acme",
  versions: [1],
  freshness: "time-limited",
  ask: async () => ({ kind: "Attested", level: "Instance", pins: {} }),
};

/** A management cluster whose first write is overtaken. */
function aWorld(identity: NodeIdentity) {
  const said: string[] = [];
  let writes = 0;
  const write = async (_resource: unknown, object: unknown) => {
    writes++;
    if (writes === 1) throw new Fault("conflict", "somebody wrote it meanwhile");
    return object;
  };
  const absent = { kind: "Absent" } as const;
  const none = { kind: "Present", value: [] } as const;
  const machine = aMachine();
  const world = {
    clock: { now: () => NOW_MS },
    log: { info: (words: string) => void said.push(words), debug: () => undefined },
    events: { record: (_: unknown, { reason }: { reason: string }) => void said.push(`Event ${reason}`) },
    act: {
      act: async (_: unknown, { verdict }: { verdict: Verdict }) =>
        void said.push(`${verdict.kind} ${verdict.message}`),
    },
    management: {
      get: async () => identity,
      patch: async () => identity,
      update: write,
      list: async () => ({ items: [] }),
    },
    client: { patch: write, get: async () => ({ metadata: { uid: "n" } }) },
    keys: { ring: async () => ({ all: [KEYS], current: KEYS, recipients: [] }) },
    identities: {
      find: () => ({ kind: "Present", value: identity }),
      holdersOf: () => none,
      holdersOfProvider: () => none,
      revokedKeys: () => [],
      countYoung: () => 0,
    },
    machines: {
      byProviderId: () => ({ kind: "Present", value: [machine] }),
      getLive: async () => machine,
      countAwaiting: () => 1,
      countAll: () => 1,
    },
    getNode: () => ({ metadata: { uid: "n" } }),
    machineOfToken: async () => absent,
    openHellos: () => [],
    countOpenHellos: () => 0,
    clusterIds: () => [CLUSTER],
    servedSigners: [SIGNER, ...signersOfProvider("tpm")],
    limits: { pace: { takeOrWaitMs: () => 0 }, overflow: { isOver: () => false } },
  } as unknown as AttestationWorld;
  const guard = { annotationOf: async () => [] };
  const providers = createProviders({ ...world, guard, sources: [], verifiers: [acme] });
  return { world: { ...world, providers }, said };
}

function lookAt(object: RequestObject, policy: Policy): EvidenceLook {
  const reading = readEvidence(object.request, { signerProvider: "tpm", recipients: [] });
  const { name, uid, signerName } = object;
  const csr = { apiVersion: "", kind: "", metadata: { name, uid }, spec: { request: "", signerName, usages: [] } };
  const envelope = reading.envelope.ok ? reading.envelope.value.parsed : undefined;
  return { csr, object, reading, policy, envelope, signal: new AbortController().signal };
}

/** The exchange of a request, by its own provider or by the one that is given. */
async function run(world: AttestationWorld, look: EvidenceLook, given?: Provider): Promise<unknown> {
  const { envelope } = look;
  const provider = given ?? world.providers.find(({ name }) => name === envelope?.protocol.provider);
  if (envelope === undefined || provider === undefined) throw new Error("no envelope, or no provider for it");
  return await runExchange(world, { ...look, envelope }, provider);
}

/** The requester's certificate was followed by another, hours ago. */
function superseded(identity: NodeIdentity, provider: string): NodeIdentity {
  const of = (sha256: string) =>
    ({ sha256, serialNumber: "1", notAfter: "2027-01-01T00:00:00Z", purpose: "Client" }) as const;
  const certificates = [of(CREDENTIAL), { ...of("aa"), issuedAt: new Date(NOW_MS - 7_200_000).toISOString() }];
  const { tpm: _, ...status } = identity.status ?? {};
  return { ...identity, status: { ...status, provider, protocolFloor: `${provider}/1`, certificates } };
}

/** Tried until it does not conflict any more; the alarms of each try. */
async function tries(said: readonly string[], attempt: () => Promise<unknown>): Promise<readonly string[]> {
  await expect(attempt()).rejects.toMatchObject({ code: "conflict" });
  const alarms = () => said.filter((words) => words.startsWith("Event "));
  const before = alarms().length;
  await attempt();
  return [`${before} before the write`, ...alarms()];
}

describe("an alarm", () => {
  const tpm = aSoftTpm();
  const policy = aPolicy({
    attestation: { renewalBeacon: true, tpm: { clockRegression: "Warn", pcrs: { rule: "Record", select: [0, 1, 7] } } },
  });

  it("of a renewal by beacon comes with its pins", async () => {
    const { world, said } = aWorld(anIdentity(tpm));
    const { object } = aBeaconRenewal(tpm, { quote: { resetCount: 1, clock: 500n } });
    const look = lookAt(object, policy);
    expect(await tries(said, () => run(world, look))).toEqual(["0 before the write", "Event TpmClockRegressed"]);
  });

  it("of an installed provider's renewal comes with its pins", async () => {
    const { world, said } = aWorld(superseded(anIdentity(tpm), "acme"));
    const statement = someStatement({ intent: "renew", signer: SIGNER, offered: ["acme/1"] });
    const protocol = { provider: "acme", version: 1 };
    const draft = draftRequest({ step: "single", statement, protocol, key: generatePrivateKey("P-256").signer });
    const object = anObject(finishRequest(draft, { body: { kind: "installed", value: {} } }), PROOF_UID, aNodeUser());
    const look = lookAt(object, aPolicy({ attestation: { providers: ["acme"] } }));
    expect(await tries(said, () => run(world, look))).toEqual(["0 before the write", "Event PreviousCredentialUsed"]);
  });

  it("of a hello comes with its challenge, whichever provider's, and so does the line of the audit trail", async () => {
    const { world, said } = aWorld(superseded(anIdentity(tpm), "tpm"));
    const { object, ...facts } = aBeaconRenewal(tpm);
    const look = lookAt(object, policy);
    const late = {
      ...facts,
      object,
      identity: { kind: "Present", value: superseded(anIdentity(tpm), "tpm") },
    } as const;
    const step: HelloStep = {
      kind: "hello",
      gather: async (): Promise<ChallengeFacts> => late,
      judge: () =>
        ({ verdict: { kind: "Allow", rule: "r", reason: "MayBeChallenged", message: "" }, trail: [] }) as const,
      challenge: () => ({ challenge: "{}", annotations: {}, expiresMs: NOW_MS + 300_000 }),
    };
    expect(await tries(said, () => run(world, look, { name: "any", versions: [1], steps: { single: step } }))).toEqual([
      "0 before the write",
      "Event PreviousCredentialUsed",
    ]);
    expect(said.filter((words) => words === "request challenged")).toHaveLength(1);
  });
});
