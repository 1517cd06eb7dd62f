import { describe, expect, it } from "vitest";
import { aCsr, named } from "../../../test/builders/csr.ts";
import { aRecordingClient } from "../../../test/builders/csr-client.ts";
import { createManualClock } from "../../../test/fakes/clock.ts";
import { Fault } from "../../kernel/outcome/index.ts";
import { createMetrics, silentLog } from "../../platform/report/index.ts";
import { createCleaning, createFloodGuard } from "./index.ts";

const never = new AbortController().signal;

function aCleaning(answer: (name: string) => Fault | undefined) {
  const metrics = createMetrics();
  const deleted: unknown[] = [];
  const clock = createManualClock(Date.UTC(2030, 0, 1));
  const csrs = ["a", "b", "c"].map((name) => aCsr(named(name)));
  const client = {
    ...aRecordingClient(),
    delete: async (_resource: unknown, { name }: { name: string }, options?: { uid?: string }) => {
      deleted.push([name, options?.uid]);
      const fault = answer(name);
      if (fault !== undefined) throw fault;
    },
  };
  const informer = { list: () => csrs, hasSynced: () => true, waitForSync: async () => undefined };
  const { handle } = createCleaning({ client, clock, log: silentLog, metrics, csrs: informer });
  return { handle, deleted, csrs, metrics };
}

describe("cleaning", () => {
  it("deletes what is over, each with its uid, and looks again in an hour", async () => {
    const { handle, deleted, csrs, metrics } = aCleaning(() => undefined);
    expect(await handle("all", never)).toEqual({ afterMs: 3_600_000 });
    expect(new Set(deleted.map((one) => JSON.stringify(one)))).toEqual(
      new Set(csrs.map(({ metadata }) => JSON.stringify([metadata.name, metadata.uid]))),
    );
    expect(metrics.expose()).toContain('countersign_requests_removed_total{case="pending"} 3');
  });

  it("goes on when somebody else was faster, or the name belongs to another request now", async () => {
    const { handle, metrics } = aCleaning((name) =>
      name === "a" ? new Fault("not-found", "gone") : name === "b" ? new Fault("conflict", "uid") : undefined,
    );
    await handle("all", never);
    expect(metrics.expose()).toContain('countersign_requests_removed_total{case="pending"} 1');
  });

  it("is tried again as a whole when the server is away", async () => {
    const { handle } = aCleaning(() => new Fault("unavailable", "away"));
    await expect(handle("all", never)).rejects.toMatchObject({ code: "unavailable" });
  });
});

describe("flood control", () => {
  function aGuard(pending: Record<string, number>) {
    const clock = createManualClock();
    const said: string[] = [];
    const note = (message: string) => void said.push(message);
    const guard = createFloodGuard({
      clock,
      log: { ...silentLog, info: note, warn: note },
      pendingOf: (requester) => pending[requester] ?? 0,
      limits: { pending: 3, rate: { perSecond: 10, burst: 1 } },
    });
    return { guard, clock, said };
  }

  it("leaves everybody alone up to the limit, and holds one back beyond it", () => {
    const pending: Record<string, number> = { honest: 3, flood: 4 };
    const { guard } = aGuard(pending);
    guard.onTake("honest");
    guard.holdMs("flood");
    guard.onTake("flood");
    expect([guard.holdMs("honest"), guard.holdMs("flood")]).toEqual([0, 100]);
  });

  it("names who floods, once, with how many, and says when it is over", () => {
    const pending: Record<string, number> = { flood: 4 };
    const { guard, said } = aGuard(pending);
    guard.holdMs("flood");
    guard.holdMs("flood");
    expect(guard.readings()).toEqual([[{ requester: "flood" }, 4]]);
    pending["flood"] = 3;
    expect([guard.holdMs("flood"), guard.readings()]).toEqual([0, []]);
    expect(said).toEqual([
      "a requester floods the cluster with requests and is served slowly",
      "a requester floods no longer",
    ]);
  });
});
