import { describe, expect, it } from "vitest";
import {
  aNodeUser,
  anExchange,
  anIdentity,
  CLUSTER,
  helloFacts,
  KEYS,
  NOW_MS,
} from "../../../../test/builders/exchange.ts";
import { aSoftTpm } from "../../../../test/builders/soft-tpm.ts";
import type { NodeIdentity } from "../../../api/countersign/index.ts";
import type { HelloStep } from "../../../attestation/provider.ts";
import { envelopeIn } from "../../../attestation/rules/index.ts";
import { judgeTpmHello } from "../../../attestation/tpm/judge.ts";
import { Fault, type Judgement, type Seen } from "../../../kernel/outcome/index.ts";
import { silentLog } from "../../../platform/report/index.ts";
import { type ReadableLook, runExchange } from "./run.ts";
import type { AttestationWorld } from "./world.ts";

const ABSENT = { kind: "Absent" } as const;
const NONE = new Fault("not-found", "there is none");

const tpm = aSoftTpm();
const { challenged, ...exchange } = anExchange({ tpm, statement: { intent: "renew" }, requester: aNodeUser() });
const own: Seen<NodeIdentity> = { kind: "Present", value: anIdentity(tpm) };
const others: Seen<NodeIdentity> = { kind: "Present", value: anIdentity(aSoftTpm()) };

/** What is said of a renewal's hello that was challenged before this replica came. */
async function lookAtChallenged(copied: Seen<NodeIdentity>, live: Seen<NodeIdentity>): Promise<string[]> {
  const said: string[] = [];
  const world = {
    clock: { now: () => NOW_MS },
    log: silentLog,
    act: { act: async (_: unknown, { verdict }: Judgement) => void said.push(`${verdict.kind} ${verdict.reason}`) },
    limits: { overflow: { isOver: () => false } },
    management: { get: async () => (live.kind === "Present" ? live.value : Promise.reject(NONE)) },
    client: { get: () => Promise.reject(NONE) },
    identities: { find: () => copied, holdersOfProvider: () => ABSENT, countYoung: () => 0 },
    machines: { byProviderId: () => ABSENT, countAwaiting: () => 0, countAll: () => 0 },
    keys: { ring: async () => ({ all: [KEYS], current: KEYS, recipients: [] }) },
    getNode: () => undefined,
    machineOfToken: async () => ABSENT,
    openHellos: () => [],
    countOpenHellos: () => 0,
    clusterIds: () => [CLUSTER],
    servedSigners: [],
    providers: [],
  } as unknown as AttestationWorld;
  const factsBy = (identity: Seen<NodeIdentity>) =>
    helloFacts({ ...exchange, challenged, hello: challenged }, { identity });
  const { reading, object } = factsBy(own);
  const { name, uid, annotations } = object;
  const envelope = envelopeIn({ reading });
  const csr = { metadata: { name, uid, annotations }, spec: {} };
  const look = { csr, object, reading, envelope } as unknown as ReadableLook;
  const step: HelloStep = {
    kind: "hello",
    gather: async (common) => factsBy(common.identity),
    judge: judgeTpmHello,
    challenge: () => {
      throw new Error("it has its challenge");
    },
  };
  await runExchange(world, look, { name: "tpm", versions: [1], steps: { hello: step } });
  return said;
}

describe("a renewal that was challenged before this replica took over", () => {
  it.each<[string, Seen<NodeIdentity>]>([
    ["has no identity", { kind: "Absent" }],
    ["has the TPM before a reset", others],
  ])("is not refused where it %s in the copy alone", async (_, copied) => {
    expect(await lookAtChallenged(copied, own)).toEqual([]);
  });

  it("is refused where the server says the same", async () => {
    expect(await lookAtChallenged(others, others)).toEqual(["Deny AnnotationForged"]);
  });
});
