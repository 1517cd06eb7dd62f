import { describe, expect, it } from "vitest";
import { aNodeUser, anExchange, anIdentity, helloFacts, NOW_MS } from "../../../test/builders/exchange.ts";
import { aSoftTpm } from "../../../test/builders/soft-tpm.ts";
import type { NodeIdentity } from "../../api/countersign/index.ts";
import { judgeTpmHello } from "../../attestation/tpm/verifier.ts";
import type { Judgement, Seen } from "../../kernel/outcome/index.ts";
import { silentLog } from "../../platform/report/index.ts";
import { answerHello } from "./challenge.ts";
import type { AttestationWorld, Look } from "./world.ts";

const tpm = aSoftTpm();
const { challenged, ...exchange } = anExchange({ tpm, claims: { intent: "renew" }, requester: aNodeUser() });
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
  } as unknown as AttestationWorld;
  const factsBy = (identity: Seen<NodeIdentity>) =>
    helloFacts({ ...exchange, challenged, hello: challenged }, { identity });
  const { reading, object } = factsBy(own);
  const { name, uid, annotations } = object;
  const look = { csr: { metadata: { name, uid, annotations }, spec: {} }, object, reading } as unknown as Look;
  await answerHello(world, look, {
    gather: async ({ isLive }) => factsBy(isLive ? live : copied),
    judge: judgeTpmHello,
    plan: () => {
      throw new Error("it has its challenge");
    },
  });
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
