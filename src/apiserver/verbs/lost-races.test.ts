import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { callApi } from "../../../test/fakes/api-client.ts";
import { startTestApiServer } from "../../../test/fakes/api-server.ts";
import { createMemoryStorage } from "../storage/engine.ts";
import type { Storage } from "../storage/storage.ts";
import { createTurns } from "./lost-races.ts";

/** A disk takes its time, and meanwhile others read what is stored now. */
function aSlowStorage(): Storage {
  const memory = createMemoryStorage();
  const update: Storage["update"] = async (...write) => {
    await sleep(5);
    return memory.update(...write);
  };
  return { ...memory, update };
}

describe("many writes of one object at once", () => {
  it("that replace it and name no version are all written", async () => {
    const server = await startTestApiServer({ storage: aSlowStorage() });
    const path = "/api/v1/namespaces/default/configmaps";
    await callApi(server, { method: "POST", path, body: { metadata: { name: "one" } } });
    const send = (n: number) =>
      callApi(server, {
        method: "PUT",
        path: `${path}/one`,
        body: { metadata: { name: "one" }, data: { [`k${n}`]: "v" } },
      });
    const answers = await Promise.all(Array.from({ length: 60 }, (_, n) => send(n)));
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
    await server.close();
  });

  it("that patch it are all written, and none is told of a conflict that it did not ask for", async () => {
    const server = await startTestApiServer({ storage: aSlowStorage() });
    const path = "/api/v1/namespaces/default/configmaps";
    await callApi(server, { method: "POST", path, body: { metadata: { name: "one" }, data: {} } });
    const ways = ["application/merge-patch+json", "application/strategic-merge-patch+json"];
    const send = (n: number) =>
      callApi(server, {
        method: "PATCH",
        path: `${path}/one`,
        body: { data: { [`k${n}`]: "v" } },
        headers: { "content-type": ways[n % 2] ?? "" },
      });
    const answers = await Promise.all(Array.from({ length: 60 }, (_, n) => send(n)));
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
    const { body } = await callApi(server, { path: `${path}/one` });
    expect(Object.keys(body.data)).toHaveLength(60);
    await server.close();
  });

  it("that name a version still lose: one is written, the others are conflicts", async () => {
    const server = await startTestApiServer();
    const path = "/api/v1/namespaces/default/configmaps";
    const { body } = await callApi(server, { method: "POST", path, body: { metadata: { name: "one" } } });
    const { resourceVersion } = body.metadata;
    const send = (n: number) =>
      callApi(server, {
        method: "PATCH",
        path: `${path}/one`,
        body: { metadata: { resourceVersion }, data: { [`k${n}`]: "v" } },
        headers: { "content-type": "application/merge-patch+json" },
      });
    const answers = await Promise.all(Array.from({ length: 8 }, (_, n) => send(n)));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, ...Array(7).fill(409)]);
    await server.close();
  });
});

describe("turns", () => {
  it("go on after a writer that failed, and are forgotten when no writer waits", async () => {
    const turns = createTurns();
    const order: string[] = [];
    const failed = turns.take("a", () => Promise.reject(new TypeError("broken")));
    const next = turns.take("a", async () => void order.push("second"));
    expect(turns.isTaken("a")).toBe(true);
    expect(turns.isTaken("b")).toBe(false);
    await expect(failed).rejects.toThrow("broken");
    await next;
    await Promise.resolve();
    expect(order).toEqual(["second"]);
    await expect.poll(() => turns.isTaken("a")).toBe(false);
  });
});
