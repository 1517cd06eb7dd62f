import { describe, expect, it } from "vitest";
import { aCsr, named } from "../../../test/builders/csr.ts";
import { aRecordingClient } from "../../../test/builders/csr-client.ts";
import { createManualClock } from "../../../test/fakes/clock.ts";
import { Fault } from "../../kernel/outcome/index.ts";
import { createMetrics, silentLog } from "../../platform/report/index.ts";
import { createCleaning } from "./index.ts";

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
