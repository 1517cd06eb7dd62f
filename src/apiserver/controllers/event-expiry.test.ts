import { describe, expect, it } from "vitest";
import { createManualClock, START_MS } from "../../../test/fakes/clock.ts";
import { EVENTS, type KubeObject } from "../../api/meta/index.ts";
import { createMemoryStorage, keyOf, prefixOf } from "../storage/index.ts";
import { expireEvents, runEventExpiry } from "./event-expiry.ts";

const HOUR_MS = 3_600_000;
const at = (ms: number) => new Date(ms).toISOString();

describe("event expiry", () => {
  it("forgets what is older than an hour, by its newest time", async () => {
    const storage = createMemoryStorage();
    const events: Record<string, object> = {
      old: { metadata: { name: "old", creationTimestamp: at(START_MS) } },
      young: { metadata: { name: "young", creationTimestamp: at(START_MS + 1000) } },
      ongoing: {
        metadata: { name: "ongoing", creationTimestamp: at(START_MS) },
        lastTimestamp: at(START_MS + HOUR_MS),
      },
    };
    for (const [name, event] of Object.entries(events)) {
      await storage.create(keyOf(EVENTS, { namespace: "default", name }), {
        kind: "Event",
        apiVersion: "v1",
        ...event,
      } as KubeObject);
    }
    await expireEvents(storage, START_MS + HOUR_MS);
    const left = storage.list({ prefix: prefixOf(EVENTS) }).items.map((item) => item.object.metadata.name);
    expect(left).toEqual(["ongoing", "young"]);
    await storage.close();
  });

  it("ends when it is told to", async () => {
    const storage = createMemoryStorage();
    const stop = new AbortController();
    const running = runEventExpiry({ storage, clock: createManualClock(), signal: stop.signal });
    stop.abort();
    await expect(running).resolves.toBeUndefined();
    await storage.close();
  });
});
