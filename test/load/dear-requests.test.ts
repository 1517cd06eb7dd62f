// No request of at most 3 MB keeps another user waiting for more than 100 ms. The corpus was found by dear-search.ts
// (test/long/dear-search.test.ts runs it); the server is a process of its own.

import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { aClientCertificate } from "../builders/client-certificate.ts";
import { callApi, type Sent } from "../fakes/api-client.ts";
import { patient } from "../patience.ts";
import { DEFINE_WIDGETS, type Gene, lengthOf, MAX_BODY_BYTES, PLAIN, requestOf } from "./dear-bodies.ts";
import { bundleServer, type MeasuredServer, spawnServer } from "./spawn-server.ts";

const LONGEST_MS = 100;
/** A machine that is busy with something else is given another chance; a server that is slow is slow each time. */
const TRIES = 5;

/** What is done about it, and what it is: a request that is refused at the door is none that costs. */
const CORPUS: Readonly<Record<string, readonly [status: number, gene: Partial<Gene>]>> = {
  "ports of a Service": [201, { kind: "Service", count: 2_000 }],
  "bad containers of a Pod": [422, { kind: "Pod", isBad: true }],
  "properties of a definition": [201, { kind: "CustomResourceDefinition", count: 7_000, valueBytes: 60 }],
  "data of a ConfigMap": [201, { count: 14_000 }],
  "labels that are applied": [200, { way: "apply", place: 1, count: 9_000, live: 4_000 }],
  "bad annotations": [422, { place: 2, count: 14_000, isBad: true, keyBytes: 8 }],
  "finalizers that are merged": [200, { way: "strategic", place: 3, count: 7_000, live: 7_000 }],
  "conditions that are merged": [200, { way: "strategic", kind: "Node", count: 4_000, live: 4_000 }],
  "moves out of a long list": [200, { way: "json-patch", place: 3, count: 1_200, live: 7_000 }],
  "more moves than are allowed": [413, { way: "json-patch", place: 3, count: 9_900, live: 14_000 }],
  "changes in a large map": [200, { way: "json-patch", count: 6_900, live: 7_000, operation: "replace" }],
  "bad items of a custom resource": [422, { kind: "Widget", isBad: true, live: 4_000 }],
  "labels in YAML": [201, { format: "yaml", place: 1, count: 6_000 }],
  "lists in YAML": [201, { format: "yaml", place: 5, count: 5_000 }],
  "containers in protobuf": [201, { format: "protobuf", kind: "Pod", count: 1_000 }],
  "data in protobuf": [201, { format: "protobuf", count: 14_000 }],
  "annotations in protobuf": [201, { format: "protobuf", place: 2, count: 9_000 }],
  "a million empty lists": [413, {}],
};

let root: string;
let server: MeasuredServer;
let node: ReturnType<typeof aClientCertificate>;

beforeAll(async () => {
  // Beside the modules that the program needs.
  const cache = fileURLToPath(new URL("../../node_modules/.cache", import.meta.url));
  mkdirSync(cache, { recursive: true });
  root = mkdtempSync(join(cache, "dear-requests-"));
  server = await spawnServer(await bundleServer(root), { controllers: true });
  expect((await callApi(server, DEFINE_WIDGETS)).status).toBe(201);
  node = aClientCertificate(server, { user: "system:node:n", groups: ["system:nodes"] });
});

afterAll(async () => {
  await server?.close();
  rmSync(root, { recursive: true, force: true });
});

describe("a dear request keeps nobody waiting:", () => {
  it.each(Object.entries(CORPUS))("%s", { timeout: patient(120_000) }, async (name, [status, gene]) => {
    const request = requestOf({ ...PLAIN, ...gene });
    const dear = name === "a million empty lists" ? { ...request.dear, body: EMPTY_LISTS } : request.dear;
    expect(lengthOf(dear)).toBeLessThan(MAX_BODY_BYTES);
    const best = await bestOf(TRIES, async () => {
      for (const sent of request.before) await callApi(server, sent);
      const seen = await watchOthers(dear);
      for (const sent of request.after) await callApi(server, sent);
      return seen;
    });
    expect(best.status).toBe(status);
    expect(best.longestMs).toBeLessThan(LONGEST_MS);
    expect(best.waitedMs).toBeLessThan(LONGEST_MS);
  });
});

const EMPTY_LISTS = `{"metadata":{"name":"dear"},"x":[${"[],".repeat(1_000_000)}[]]}`;

interface Seen {
  /** The server's longest turn. */
  readonly longestMs: number;
  readonly waitedMs: number;
  /** Of the dear request: one that is refused at the door costs nothing, and shows nothing. */
  readonly status: number;
}

async function bestOf(tries: number, attempt: () => Promise<Seen>): Promise<Seen> {
  let best = await attempt();
  for (let done = 1; done < tries && !isGood(best); done += 1) {
    const seen = await attempt();
    if (seen.longestMs + seen.waitedMs < best.longestMs + best.waitedMs) best = seen;
  }
  return best;
}

function isGood({ longestMs, waitedMs }: Seen): boolean {
  return longestMs < LONGEST_MS && waitedMs < LONGEST_MS;
}

/**
 * What a node sees meanwhile. Its wait is told in the processor time that the server spent until it had its answer:
 * what other processes of the machine take meanwhile is not the server's doing.
 */
async function watchOthers(dear: Sent): Promise<Seen> {
  let waitedMs = 0;
  let status = 0;
  const { longestMs } = await server.measure(async () => {
    let isOver = false;
    const answered = callApi(server, dear).finally(() => {
      isOver = true;
    });
    while (!isOver) waitedMs = Math.max(waitedMs, await oneRequest());
    status = (await answered).status;
  });
  return { longestMs, waitedMs, status };
}

const LEASE = "/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases/n";

async function oneRequest(): Promise<number> {
  const begunMs = server.ranMs();
  const { status } = await callApi(server, { path: LEASE, as: node });
  expect([200, 404]).toContain(status);
  return server.ranMs() - begunMs;
}
