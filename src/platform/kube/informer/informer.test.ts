import type { ServerResponse } from "node:http";
import { setImmediate as nextTurn } from "node:timers/promises";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { createManualClock, type ManualClock } from "../../../../test/fakes/clock.ts";
import { answerJson, startTestServer, type TestServer } from "../../../../test/fakes/https-server.ts";
import { INITIAL_EVENTS_END, type KubeObject, NODES } from "../../../api/meta/index.ts";
import type { Log, LogFields } from "../../report/index.ts";
import type { KubeClient } from "../client.ts";
import { createKubeClient } from "../create-client.ts";
import { createInformer, type Informer } from "./informer.ts";

type Step = (response: ServerResponse, url: URL) => void;

let server: TestServer;
let client: KubeClient;
let clock: ManualClock;
let informer: Informer;
let stop: AbortController;
let running: Promise<void> | undefined;
/** What the server is asked, and what it answers to each request in turn; the last answer is repeated. */
let asked: string[];
let script: Step[];
let changes: string[];
let logged: string[];
/** The waits that the informer announced and that have not passed yet. */
let waits: number[];
let bugs: unknown[] = [];

function note(message: string, fields: LogFields = {}): void {
  logged.push(message);
  if (typeof fields["waitMs"] === "number") waits.push(fields["waitMs"]);
}
const log: Log = { debug: note, info: note, warn: note, error: note, child: () => log };

beforeAll(async () => {
  server = await startTestServer((request, response) => {
    const url = new URL(request.url ?? "", "https://server");
    asked.push(describeRequest(url));
    const step = script.length > 1 ? script.shift() : script[0];
    step?.(response, url);
  });
});
afterAll(() => server.close());

beforeEach(() => {
  [asked, script, changes, logged, waits, bugs] = [[], [], [], [], [], []];
  clock = createManualClock();
  stop = new AbortController();
  running = undefined;
  client = createKubeClient({ server: server.url, caPem: server.ca.certPem, credentials: () => ({}) });
  informer = createInformer(client, NODES, { clock, random: () => 0, log, onBug: (error) => bugs.push(error) });
  informer.onChange(({ type, object }) => changes.push(`${type} ${object.metadata.name}`));
});
afterEach(async () => {
  stop.abort();
  await running;
  await client.close();
});

function describeRequest(url: URL): string {
  const { searchParams: query } = url;
  if (query.has("sendInitialEvents")) return "stream";
  const page = query.get("continue") === null ? "" : ` continue=${query.get("continue")}`;
  return query.has("watch") ? `watch ${query.get("resourceVersion")}` : `list limit=${query.get("limit")}${page}`;
}

function node(name: string, resourceVersion: string, annotations?: Record<string, string>): KubeObject {
  return {
    apiVersion: "v1",
    kind: "Node",
    metadata: { name, resourceVersion, ...(annotations ? { annotations } : {}) },
  };
}
const event = (type: string, object: unknown) => `${JSON.stringify({ type, object })}\n`;
const added = (name: string, version: string) => event("ADDED", node(name, version));
const modified = (name: string, version: string) => event("MODIFIED", node(name, version));
const bookmark = (version: string) => event("BOOKMARK", node("", version));
const endOfInitial = (version: string) => event("BOOKMARK", node("", version, { [INITIAL_EVENTS_END]: "true" }));
const status = (code: number, reason: string, more: object = {}) => ({
  kind: "Status",
  apiVersion: "v1",
  code,
  reason,
  message: reason,
  ...more,
});

/** Sends and keeps the stream open. */
const hold =
  (...lines: string[]): Step =>
  (response) =>
    void response.writeHead(200).write(lines.join("") || "\n");
/** Sends and ends the stream. */
const end =
  (...lines: string[]): Step =>
  (response) =>
    void response.writeHead(200).end(lines.join(""));
/** Sends and breaks the connection. */
const cut =
  (...lines: string[]): Step =>
  (response) =>
    void response.writeHead(200).write(lines.join("") || "\n", () => response.socket?.destroy());
const refuse =
  (code: number, reason: string): Step =>
  (response) =>
    answerJson(response, code, status(code, reason));
const listed =
  (version: string, names: string[], next?: string): Step =>
  (response) =>
    answerJson(response, 200, {
      kind: "NodeList",
      apiVersion: "v1",
      metadata: { resourceVersion: version, ...(next ? { continue: next } : {}) },
      items: names.map((name) => ({ metadata: { name, resourceVersion: version } })),
    });

function run(...steps: Step[]): void {
  script = steps;
  running = informer.run(stop.signal);
}

async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await nextTurn();
}

/** Waits until the informer waits after a failure, and lets that time pass. */
async function passBackoff(): Promise<number> {
  await until(() => waits.length > 0);
  const waitMs = waits.shift() ?? 0;
  await clock.advance(waitMs);
  return waitMs;
}

const names = () => informer.list().map(({ metadata }) => metadata.name);

describe("an informer", () => {
  it("has synced when the initial events end, not before, and then follows the same stream", async () => {
    let stream: ServerResponse | undefined;
    run((response) => {
      stream = response.writeHead(200);
      stream.write(added("a", "1") + added("b", "2"));
    });
    await until(() => stream !== undefined);
    await nextTurn();
    expect([informer.hasSynced(), names()]).toEqual([false, []]);
    stream?.write(endOfInitial("2"));
    await informer.waitForSync();
    stream?.write(modified("a", "3") + event("DELETED", node("b", "4")));
    await until(() => changes.length === 4);
    expect(changes).toEqual(["ADDED a", "ADDED b", "MODIFIED a", "DELETED b"]);
    expect([names(), informer.get("a")?.metadata.resourceVersion, informer.get("b")]).toEqual([["a"], "3", undefined]);
    expect(asked).toEqual(["stream"]);
  });

  it("resumes an ended watch at once from the last version it saw, bookmarks included", async () => {
    run(end(added("a", "1"), endOfInitial("5"), bookmark("9")), end(modified("a", "12")), hold());
    await until(() => asked.length === 3);
    expect(asked).toEqual(["stream", "watch 9", "watch 12"]);
    expect(clock.pending()).toEqual([]);
  });

  it("resumes a broken watch from the last version it saw, after a wait", async () => {
    run(cut(added("a", "1"), endOfInitial("5"), modified("a", "7")), hold(modified("a", "8")));
    expect(await passBackoff()).toBe(800);
    await until(() => changes.length === 3);
    expect(asked).toEqual(["stream", "watch 7"]);
    expect(names()).toEqual(["a"]);
  });

  it("starts over when the stream ends before the initial events are complete, and shows nothing of them", async () => {
    run(cut(added("a", "1")), end(added("a", "1")), hold(added("b", "2"), endOfInitial("2")));
    await passBackoff();
    await passBackoff();
    await informer.waitForSync();
    expect([asked, changes]).toEqual([["stream", "stream", "stream"], ["ADDED b"]]);
  });

  it("lists again when its version is too old, and tells what was deleted meanwhile", async () => {
    run(
      end(added("a", "1"), added("b", "2"), endOfInitial("2"), bookmark("2")),
      end(event("ERROR", status(410, "Expired"))),
      hold(added("b", "2"), added("c", "30"), endOfInitial("31")),
    );
    await passBackoff();
    await until(() => changes.length === 4);
    expect(asked).toEqual(["stream", "watch 2", "stream"]);
    expect(changes.slice(2)).toEqual(["DELETED a", "ADDED c"]);
    expect(logged).toEqual(["watch history is gone, listing again"]);
  });

  it("lists in pages where the server refuses to stream a list, and does not ask again", async () => {
    run(
      refuse(422, "Invalid"),
      listed("7", ["a", "b"], "t1"),
      listed("7", ["c"]),
      end(event("ERROR", status(410, "Expired"))),
      listed("9", ["c"]),
      hold(),
    );
    await informer.waitForSync();
    expect(changes).toEqual(["ADDED a", "ADDED b", "ADDED c"]);
    await passBackoff();
    await until(() => asked.length === 6);
    expect(asked).toEqual([
      "stream",
      "list limit=500",
      "list limit=500 continue=t1",
      "watch 7",
      "list limit=500",
      "watch 9",
    ]);
    expect(names()).toEqual(["c"]);
  });

  it("lists where it may not watch, and tries to stream at the next turn", async () => {
    run(
      refuse(403, "Forbidden"),
      listed("7", ["a"]),
      refuse(403, "Forbidden"),
      hold(added("a", "7"), endOfInitial("8")),
    );
    await informer.waitForSync();
    await passBackoff();
    await until(() => asked.length === 4);
    expect(asked).toEqual(["stream", "list limit=500", "watch 7", "stream"]);
  });

  it("lists in one piece when the history ends between two pages", async () => {
    run(refuse(400, "BadRequest"), listed("7", ["a"], "t1"), refuse(410, "Expired"), listed("9", ["a", "b"]), hold());
    await informer.waitForSync();
    await until(() => asked.length === 5);
    expect(asked).toEqual(["stream", "list limit=500", "list limit=500 continue=t1", "list limit=null", "watch 9"]);
  });

  it("lists when the server ignores the wish for initial events and falls silent", async () => {
    run(hold(added("a", "1")), listed("7", ["a"]), hold());
    await until(() => asked.length === 1);
    await clock.advance(29_000);
    expect(asked).toEqual(["stream"]);
    await clock.advance(31_000);
    await informer.waitForSync();
    await until(() => asked.length === 3);
    expect([asked, names()]).toEqual([["stream", "list limit=500", "watch 7"], ["a"]]);
    await server.untilConnections(2);
  });

  it("survives refused lists, garbage and servers that hang up, waiting longer each time up to 30 s", async () => {
    run(
      refuse(500, "InternalError"),
      refuse(401, "Unauthorized"),
      (response) => void response.writeHead(200).end("<html>\n"),
      cut(),
      (response) => void response.socket?.destroy(),
      refuse(503, "ServiceUnavailable"),
      refuse(429, "TooManyRequests"),
      listed("1", ["a"]),
      hold(),
    );
    const passed: number[] = [];
    // The page of HTML counts as a refusal to stream: a list follows at once, and gets the next step.
    for (let i = 0; i < 6; i++) passed.push(await passBackoff());
    await informer.waitForSync();
    expect(passed).toEqual([800, 1_600, 3_200, 6_400, 12_800, 15_000]);
    expect(names()).toEqual(["a"]);
  });

  it("waits as long as the server asks with Retry-After", async () => {
    run(
      (response) => void response.writeHead(429, { "retry-after": "7" }).end("slow down"),
      hold(added("a", "1"), endOfInitial("1")),
    );
    expect(await passBackoff()).toBe(7_000);
    await informer.waitForSync();
  });

  it("does not ask again at once when the server ends an empty watch at once", async () => {
    run(end(added("a", "1"), endOfInitial("1"), bookmark("1")), end(), hold());
    expect(await passBackoff()).toBe(800);
    await until(() => asked.length === 3);
    expect(asked).toEqual(["stream", "watch 1", "watch 1"]);
  });

  it("counts failures anew after a watch that worked", async () => {
    run(cut(), cut(added("a", "1"), endOfInitial("1"), modified("a", "2")), hold());
    expect([await passBackoff(), await passBackoff()]).toEqual([800, 800]);
  });

  it("goes on when a handler throws, and says that what it knows is wrong now", async () => {
    informer.onChange(() => {
      throw new TypeError("a handler's bug");
    });
    run(hold(added("a", "1"), endOfInitial("1"), added("b", "2")));
    await until(() => changes.length === 2);
    expect(logged).toEqual(["a change handler failed", "a change handler failed"]);
    expect(bugs).toEqual([expect.any(TypeError), expect.any(TypeError)]);
  });

  it("tells a late handler what is there, and an unsubscribed one nothing more", async () => {
    run(hold(added("a", "1"), endOfInitial("1")));
    await informer.waitForSync();
    const late: string[] = [];
    const leave = informer.onChange(({ type, object }) => late.push(`${type} ${object.metadata.name}`));
    expect(late).toEqual(["ADDED a"]);
    leave();
    server.dropAll();
    script = [hold(modified("a", "2"))];
    await passBackoff();
    await until(() => changes.length === 2);
    expect(late).toEqual(["ADDED a"]);
  });

  it("ends with its signal, in a watch and in a wait, and not before", async () => {
    run(hold(added("a", "1"), endOfInitial("1")));
    await informer.waitForSync();
    stop.abort();
    await running;
    await server.untilConnections(0);
    const waiting = createInformer(client, NODES, { clock, random: () => 0, log });
    const stopWaiting = new AbortController();
    script = [refuse(500, "InternalError")];
    const ended = waiting.run(stopWaiting.signal);
    await until(() => waits.length > 0);
    stopWaiting.abort();
    await ended;
    await expect(waiting.waitForSync(stopWaiting.signal)).rejects.toMatchObject({ code: "aborted" });
    await expect(waiting.run(stop.signal)).rejects.toThrow(/runs once/);
  });
});
