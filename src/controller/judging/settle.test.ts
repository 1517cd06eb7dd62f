import { describe, expect, it } from "vitest";
import { anExchange, helloFacts } from "../../../test/builders/exchange.ts";
import { deny, Fault, type Judgement, wait } from "../../kernel/outcome/index.ts";
import { silentLog } from "../../platform/report/index.ts";
import type { AttestationWorld, EvidenceLook } from "./exchange/world.ts";
import { settle } from "./settle.ts";

const exchange = anExchange();
const look = {
  csr: { metadata: { name: exchange.hello.name, uid: exchange.hello.uid, finalizers: ["example.com/mine"] }, spec: {} },
  object: exchange.hello,
  reading: helloFacts(exchange).reading,
  policy: undefined,
} as unknown as EvidenceLook;

function aWorld(more: { isOver?: boolean; random?: number; act?: () => Promise<void> } = {}) {
  const did: string[] = [];
  const world = {
    log: silentLog,
    randomBytes: () => Uint8Array.of(more.random ?? 0),
    act: { act: more.act ?? (async () => void did.push("written")) },
    client: { patch: async () => did.push("finalizers removed"), delete: async () => did.push("deleted") },
    events: { record: (_: unknown, { reason }: { reason: string }) => did.push(`event ${reason}`) },
    limits: { crowd: { note: () => did.push("noted") }, overflow: { isOver: () => more.isOver === true } },
  } as unknown as AttestationWorld;
  return { world, did };
}

const judgement = (verdict: Judgement["verdict"]): Judgement => ({ verdict, trail: [] });
const throttled = judgement(wait({ rule: "limits-are-kept", reason: "Throttled", message: "many" }, 10_000));
const refused = judgement(deny({ rule: "name-is-bound", reason: "NameNotBound", message: "another" }));

describe("settling a judgement", () => {
  it("writes nothing for a crowd, whose turns come in random order", async () => {
    const turns = await Promise.all(
      [0, 128, 255].map(async (random) => {
        const { world, did } = aWorld({ random });
        const { afterMs } = await settle(world, look, throttled);
        expect(did).toEqual(["noted"]);
        return afterMs;
      }),
    );
    expect(turns).toEqual([5_000, 10_000, 14_960.9375]);
  });

  it("writes a refusal on the object", async () => {
    const { world, did } = aWorld();
    expect(await settle(world, look, refused)).toEqual({});
    expect(did).toEqual(["written"]);
  });

  it("deletes what it refuses where there are too many, finalizers first, and tells it by an Event", async () => {
    const { world, did } = aWorld({ isOver: true });
    await settle(world, look, refused);
    expect(did).toEqual(["event NameNotBound", "finalizers removed", "deleted"]);
  });

  it("deletes nothing for a policy in Shadow", async () => {
    const { world, did } = aWorld({ isOver: true });
    await settle(world, { ...look, policy: { name: "p", mode: "Shadow" } as never }, refused);
    expect(did).toEqual(["written"]);
  });

  it("looks again soon when another write came first", async () => {
    const { world } = aWorld({ act: () => Promise.reject(new Fault("conflict", "changed")) });
    expect(await settle(world, look, refused)).toEqual({ afterMs: 50 });
  });
});
