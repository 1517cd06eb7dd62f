import { request } from "node:http";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createMetrics } from "./metrics.ts";
import { type CheckResult, type StatusServer, startStatusServer } from "./status-server.ts";

let server: StatusServer;
let caches: CheckResult;

beforeEach(async () => {
  caches = { ok: true, says: "complete" };
  const metrics = createMetrics();
  metrics.reading({ name: "queue", help: "Waiting.", type: "gauge" }, () => [
    [{ loop: "a" }, 1],
    [{ loop: "b" }, 2],
  ]);
  const ready = [
    { name: "caches", look: () => caches },
    { name: "leadership", look: () => ({ ok: true, says: "standing by, b leads" }) },
  ];
  server = await startStatusServer({ host: "127.0.0.1", port: 0, metrics, ready });
});
afterEach(() => server.close());

async function ask(path: string, method = "GET") {
  const answer = await fetch(`http://127.0.0.1:${server.port}${path}`, { method });
  return [answer.status, await answer.text()];
}

describe("the status server", () => {
  it("survives a path that is none", async () => {
    for (const path of ["//", "///x", "/%zz", "/?%", "*"]) {
      const answer = await new Promise<number | undefined>((resolve, reject) => {
        const sent = request({ host: "127.0.0.1", port: server.port, path }, (message) => resolve(message.statusCode));
        sent.on("error", reject).end();
      });
      expect(answer, path).toBe(404);
    }
    expect(await ask("/livez")).toEqual([200, "ok"]);
  });

  it("says ok in one word, and why when it is asked", async () => {
    expect(await ask("/readyz")).toEqual([200, "ok"]);
    expect(await ask("/readyz?verbose")).toEqual([
      200,
      "[+]caches complete\n[+]leadership standing by, b leads\nreadyz ok\n",
    ]);
  });

  it("is not ready while a check is not, and says which; it is alive all the same", async () => {
    caches = { ok: false, says: "not complete for signing" };
    expect(await ask("/readyz")).toEqual([
      503,
      "[-]caches not complete for signing\n[+]leadership standing by, b leads\nreadyz failed\n",
    ]);
    expect(await ask("/healthz")).toEqual([200, "ok"]);
    expect(await ask("/livez")).toEqual([200, "ok"]);
  });

  it("gives metrics, one line for each label of a reading", async () => {
    expect(await ask("/metrics")).toEqual([
      200,
      '# HELP queue Waiting.\n# TYPE queue gauge\nqueue{loop="a"} 1\nqueue{loop="b"} 2\n',
    ]);
  });

  it("answers nothing else", async () => {
    expect((await ask("/"))[0]).toBe(404);
    expect((await ask("/metrics", "POST"))[0]).toBe(405);
  });

  it("says which address it cannot have", async () => {
    const again = startStatusServer({ host: "127.0.0.1", port: server.port, metrics: createMetrics(), ready: [] });
    await expect(again).rejects.toMatchObject({ code: "io-failed" });
  });
});
