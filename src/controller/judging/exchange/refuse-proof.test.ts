import { expect, it } from "vitest";
import { anExchange, helloFacts, proofFacts } from "../../../../test/builders/exchange.ts";
import { envelopeIn } from "../../../attestation/rules/index.ts";
import { deny, type Judgement } from "../../../kernel/outcome/index.ts";
import { silentLog } from "../../../platform/report/index.ts";
import { createJunkCount, DENIALS_TOLD } from "../../identities/limits.ts";
import { refuse as refuseProof } from "./run.ts";
import type { AttestationWorld, EvidenceLook } from "./world.ts";

const exchange = anExchange();
const judgement: Judgement = {
  verdict: deny({ rule: "quote-is-well-formed", reason: "QuoteMalformed", message: "no quote" }),
  trail: [],
};

/** What becomes of so many refusals of the same request. */
async function refuse(times: number, { object, reading }: Pick<EvidenceLook, "object" | "reading">): Promise<string[]> {
  const did: string[] = [];
  const world = {
    log: silentLog,
    act: { act: async () => void did.push("told") },
    client: { delete: async () => void did.push("deleted") },
    limits: { junk: createJunkCount(), overflow: { isOver: () => false } },
  } as unknown as AttestationWorld;
  const csr = { metadata: { name: object.name, uid: object.uid }, spec: {} };
  const look = { csr, object, reading, envelope: envelopeIn({ reading }) } as unknown as EvidenceLook;
  for (let i = 0; i < times; i++) await refuseProof(world, look, judgement);
  return did;
}

it("tells eight failing proofs of one hello why, and deletes the others", async () => {
  const did = await refuse(DENIALS_TOLD + 2, proofFacts(exchange));
  expect(did.slice(-3)).toEqual(["told", "deleted", "deleted"]);
});

it("tells every request that names no hello why: strangers' refusals are not counted together", async () => {
  const did = await refuse(DENIALS_TOLD + 2, helloFacts(exchange));
  expect(did).toEqual(Array.from({ length: DENIALS_TOLD + 2 }, () => "told"));
});
