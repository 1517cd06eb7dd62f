import { describe, expect, it } from "vitest";
import { aPolicy } from "../../../../test/builders/csr-facts.ts";
import { aMachine, anExchange, CLUSTER, NOW_MS } from "../../../../test/builders/exchange.ts";
import type { Policy } from "../../../api/countersign/index.ts";
import type { Machine } from "../../../api/foreign/index.ts";
import { type EvidenceFacts, readEvidence } from "../../../attestation/rules/index.ts";
import { limitsAreKept } from "../../../attestation/rules/requester.ts";
import { Fault, type Seen } from "../../../kernel/outcome/index.ts";
import { gatherEvidence } from "./gather.ts";
import type { AttestationWorld, EvidenceLook } from "./world.ts";

const { hello: object } = anExchange();
const reading = readEvidence(object.request, { signerProvider: "tpm", recipients: [] });

/** What is seen of the Machines, and how many of them were read again. */
async function seeMachines(...asked: Parameters<typeof look>) {
  const { machines, reads } = await look(...asked);
  return { machines, reads };
}

async function look(
  copied: Seen<readonly Machine[]>,
  live: Machine | undefined,
  isLive = true,
  { all = 0, policy = undefined as Policy | undefined } = {},
) {
  let reads = 0;
  const absent = { kind: "Absent" } as const;
  const world = {
    clock: { now: () => NOW_MS },
    management: { get: () => Promise.reject(new Fault("not-found", "no identity yet")) },
    client: { get: async () => ({ metadata: {} }) },
    identities: { find: () => absent, holdersOfProvider: () => absent, countYoung: () => 0 },
    machines: {
      byProviderId: () => copied,
      countAwaiting: () => 0,
      countAll: () => all,
      getLive: async () => {
        reads++;
        return live;
      },
    },
    getNode: () => undefined,
    machineOfToken: async () => absent,
    openHellos: () => [],
    countOpenHellos: () => 0,
    clusterIds: () => [CLUSTER],
    servedSigners: [],
    providers: [],
  } as unknown as AttestationWorld;
  const envelope = reading.envelope.ok ? reading.envelope.value.parsed : undefined;
  const seen = {
    object,
    reading,
    envelope,
    policy,
    signal: new AbortController().signal,
  } as unknown as EvidenceLook;
  const { machines, limits } = await gatherEvidence(world, seen, { isLive });
  return { machines, limits, reads };
}

describe("the Machine on which an approval rests", () => {
  const known = aMachine();
  const present = (...value: readonly Machine[]): Seen<readonly Machine[]> => ({ kind: "Present", value });

  it.each<[string, Machine | undefined, Seen<readonly Machine[]>]>([
    [
      "is what the server says now: being deleted",
      aMachine({ isDeleting: true }),
      present(aMachine({ isDeleting: true })),
    ],
    ["is what the server says now: another's", aMachine({ nodeName: "x" }), present(aMachine({ nodeName: "x" }))],
    ["is none where the server has it no longer", undefined, present()],
  ])("%s", async (_, live, machines) => {
    expect(await seeMachines(present(known), live)).toEqual({ machines, reads: 1 });
  });

  it.each<[string, Seen<readonly Machine[]>]>([
    ["none", present()],
    ["two", present(known, aMachine({ uid: "second" }))],
    ["a cluster without any", { kind: "Absent" }],
    ["a list that is not complete", { kind: "NotRead", why: "not yet" }],
  ])("is not read again for %s: that lets nobody in", async (_, copied) => {
    expect(await seeMachines(copied, undefined)).toEqual({ machines: copied, reads: 0 });
  });

  it("is not read again while nothing rests on it", async () => {
    expect(await seeMachines(present(known), undefined, false)).toEqual({ machines: present(known), reads: 0 });
  });
});

describe("how many nodes may join for the first time within an hour", () => {
  const limitOf = async (all: number, policy?: Policy) =>
    (await look({ kind: "Absent" }, undefined, false, { all, ...(policy === undefined ? {} : { policy }) })).limits;

  it("lets a fleet of 5,000 be made anew by default, and grows with the inventory", async () => {
    expect(await limitOf(0)).toMatchObject({ newIdentitiesPerHour: 5_000 });
    expect(await limitOf(5_000)).toMatchObject({ newIdentitiesPerHour: 10_000 });
  });

  it("is what the policy says, which is then named", async () => {
    const policy = aPolicy({ limits: { newIdentitiesPerHour: 7 } });
    const limits = { ...(await limitOf(5_000, policy)), newIdentitiesInHour: 7 };
    const finding = limitsAreKept.judge({ limits } as EvidenceFacts);
    expect(finding).toMatchObject({ kind: "Wait", reason: "JoinRateExceeded" });
    const words = `7 nodes joined for the first time within the last hour, and 7 may, by JoinPolicy ${policy.name};`;
    expect(JSON.stringify(finding)).toContain(words);
    expect(JSON.stringify(finding)).toContain("raise spec.limits.newIdentitiesPerHour");
  });
});
