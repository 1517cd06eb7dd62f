import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { connectAdmin, startTestApiServer, type TestApiServer } from "../../../../test/fakes/api-server.ts";
import { createManualClock } from "../../../../test/fakes/clock.ts";
import type { Event } from "../../../api/core/index.ts";
import { EVENTS, type KubeObject } from "../../../api/meta/index.ts";
import { silentLog } from "../../report/index.ts";
import type { KubeClient } from "../client.ts";
import { createEventRecorder } from "./recorder.ts";

let server: TestApiServer;
let client: KubeClient;
beforeAll(async () => {
  server = await startTestApiServer();
  client = connectAdmin(server);
});
afterAll(async () => {
  await client.close();
  await server.close();
});

const about = (name: string): KubeObject => ({
  apiVersion: "v1",
  kind: "Node",
  metadata: { name, uid: `uid-${name}` },
});
const words = (message: string) => ({ type: "Warning", reason: "Refused", message }) as const;
const recorder = (of: KubeClient = client) =>
  createEventRecorder({ client: of, clock: createManualClock(), log: silentLog, component: "tester", instance: "one" });

async function eventsAbout(name: string): Promise<Event[]> {
  const { items } = await client.list<Event>(EVENTS, { namespace: "default" });
  return items.filter(({ involvedObject }) => involvedObject.name === name);
}

describe("an event recorder", () => {
  it("makes one Event of the same words, whose count grows, and others of other words", async () => {
    const { record, flush } = recorder();
    for (const message of ["no key", "no key", "no name", "no key"]) record(about("a"), words(message));
    await flush();
    expect((await eventsAbout("a")).map(({ message, count }) => [message, count]).sort()).toEqual([
      ["no key", 3],
      ["no name", 1],
    ]);
  });

  it("does not fill the namespace after a restart", async () => {
    for (const { record, flush } of [recorder(), recorder()]) {
      record(about("b"), words("again"));
      await flush();
    }
    expect(await eventsAbout("b")).toHaveLength(1);
  });

  it("tells no more than a burst about one object, however much there is to say", async () => {
    const { record, flush } = recorder();
    for (let i = 0; i < 100; i++) record(about("c"), words(`sentence ${i}`));
    await flush();
    expect(await eventsAbout("c")).toHaveLength(25);
  });

  it("says it anew when the server has forgotten it", async () => {
    const { record, flush } = recorder();
    record(about("d"), words("x"));
    await flush();
    const [event] = await eventsAbout("d");
    await client.delete(EVENTS, { namespace: "default", name: event?.metadata.name ?? "" });
    record(about("d"), words("x"));
    await flush();
    expect((await eventsAbout("d")).map(({ count }) => count)).toEqual([1]);
  });
});
