import { afterEach, describe, expect, it } from "vitest";
import { callApi } from "../../../test/fakes/api-client.ts";
import { startTestApiServer, type TestApiServer } from "../../../test/fakes/api-server.ts";
import { createManualClock, START_MS } from "../../../test/fakes/clock.ts";
import { EVENTS, type KubeObject } from "../../api/meta/index.ts";
import { createMemoryStorage } from "../storage/engine.ts";
import { keyOf, prefixOf } from "../storage/key.ts";
import { expireEvents, runEventExpiry } from "./expiry.ts";

const MAPS = "/api/v1/namespaces/default/configmaps";
const MINUTE_MS = 60_000;

let server: TestApiServer | undefined;
afterEach(() => server?.close());

describe("a list that is read on after a while", () => {
  it("is told to begin again, with a token that goes on with what there is now", async () => {
    const clock = createManualClock(Date.now());
    const started = await startTestApiServer({ clock });
    server = started;
    const create = (name: string) => callApi(started, { method: "POST", path: MAPS, body: { metadata: { name } } });
    for (const name of ["a", "b", "c"]) await create(name);
    const first = await callApi(started, { path: `${MAPS}?limit=1` });
    const go = (token: string) => callApi(started, { path: `${MAPS}?limit=1&continue=${token}` });
    const token = first.body.metadata.continue;
    await create("d");
    await clock.advance(6 * MINUTE_MS);
    expect((await go(token)).status).toBe(200);
    await clock.advance(5 * MINUTE_MS);
    const late = await go(token);
    expect([late.status, late.body.reason]).toEqual([410, "Expired"]);
    const next = await go(late.body.metadata.continue);
    expect(next.body.items.map((item: { metadata: { name: string } }) => item.metadata.name)).toEqual(["b"]);
    expect(next.body.metadata.resourceVersion).not.toBe(first.body.metadata.resourceVersion);
  });
});

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
