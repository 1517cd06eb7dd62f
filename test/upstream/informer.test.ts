// A client-go informer, the client that every controller and every kubelet has, on the embedded server: it must end up
// holding exactly what is stored, whatever happens on the way to it or to the server.

import { type ChildProcessByStdio, spawn } from "node:child_process";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { Readable, Writable } from "node:stream";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import type { ConfigMap } from "../../src/api/core/index.ts";
import { CONFIG_MAPS } from "../../src/api/meta/index.ts";
import { type KubeClient, loadKubeconfigClient } from "../../src/platform/kube/index.ts";
import { startTcpProxy, type TcpProxy } from "../fakes/tcp-proxy.ts";
import { locateBinary } from "./assets/binaries.mjs";
import { type ControlPlane, startEmbedded, waitFor } from "./harness/index.ts";

interface Line {
  readonly what: "synced" | "added" | "updated" | "deleted" | "held" | "request" | "failed" | "watch-error";
  readonly name?: string;
  readonly query?: string;
  readonly error?: string;
  readonly held?: Readonly<Record<string, string>>;
}

interface GoInformer {
  readonly lines: readonly Line[];
  /** Name to resourceVersion, as its store has it now. */
  held(): Promise<Readonly<Record<string, string>>>;
  stop(): void;
}

let plane: ControlPlane;
let wire: TcpProxy;
let client: KubeClient;
let informer: GoInformer | undefined;

beforeAll(async () => {
  plane = await startEmbedded();
  wire = await startTcpProxy(plane.url);
});
afterEach(async () => {
  informer?.stop();
  await client?.close();
});
afterAll(async () => {
  await wire?.close();
  await plane?.stop();
});

const NAMESPACE = "default";
const LIMIT_MS = 60_000;
/** 20 updates of this size are more than the history of changes holds, counted in characters. */
const LARGE = "x".repeat(1_000_000);
const COMPACTING_UPDATES = 20;

async function follow(mediaType: string): Promise<GoInformer> {
  client = await loadKubeconfigClient(plane.adminKubeconfigPath);
  const kubeconfig = join(plane.dir, "informer.conf");
  const text = await readFile(plane.adminKubeconfigPath, "utf8");
  await writeFile(kubeconfig, text.replace(plane.url, wire.url), { mode: 0o600 });
  const args = [kubeconfig, NAMESPACE, mediaType];
  const started = listenTo(spawn(locateBinary("informer").path, args, { stdio: ["pipe", "pipe", "inherit"] }));
  informer = started;
  await waitFor({ what: "the first list", limitMs: LIMIT_MS, probe: () => seen("synced", started.lines) });
  return started;
}

function listenTo(child: ChildProcessByStdio<Writable, Readable, null>): GoInformer {
  const lines: Line[] = [];
  createInterface({ input: child.stdout }).on("line", (text) => lines.push(JSON.parse(text)));
  const answers = () => lines.filter(({ what }) => what === "held");
  return {
    lines,
    held: async () => {
      const before = answers().length;
      child.stdin.write("\n");
      const probe = () => answers()[before];
      const { held = {} } = await waitFor({ what: "what the informer holds", limitMs: LIMIT_MS, everyMs: 5, probe });
      return held;
    },
    stop: () => child.kill("SIGKILL"),
  };
}

function seen(what: Line["what"], lines: readonly Line[]): true | undefined {
  return lines.some((line) => line.what === what) ? true : undefined;
}

const configMap = (name: string, data = {}): ConfigMap => ({
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { name, namespace: NAMESPACE },
  data,
});
const create = (name: string, data = {}) => client.create(CONFIG_MAPS, configMap(name, data));
const remove = (name: string) => client.delete(CONFIG_MAPS, { namespace: NAMESPACE, name });

/** Until its store and the server's list are equal, names and resourceVersions. */
async function expectToAgree(follower: GoInformer): Promise<void> {
  await waitFor({
    what: "the informer to hold what is stored",
    limitMs: LIMIT_MS,
    probe: async () => {
      const { items } = await client.list(CONFIG_MAPS, { namespace: NAMESPACE });
      const stored = items.map(({ metadata }) => [metadata.name, metadata.resourceVersion]);
      expect(await follower.held()).toEqual(Object.fromEntries(stored));
      return true as const;
    },
  });
}

describe.each(["application/json", "application/vnd.kubernetes.protobuf"])(
  "a client-go informer, by %s",
  (mediaType) => {
    const named = (name: string) => `${name}-${mediaType.length}`;

    it("survives a restart of the server: it sees what happened before, meanwhile and after", async () => {
      const follower = await follow(mediaType);
      await create(named("before"));
      await create(named("short-lived"));
      await expectToAgree(follower);
      wire.takeAway();
      await create(named("unseen"));
      await remove(named("short-lived"));
      await plane.restartApiServer();
      wire.giveBack();
      await expectToAgree(follower);
      await create(named("after"));
      await expectToAgree(follower);
      const told = (what: Line["what"]) => follower.lines.filter((line) => line.what === what).map(({ name }) => name);
      expect(told("added")).toEqual(expect.arrayContaining(["before", "unseen", "after"].map(named)));
      expect(told("deleted")).toEqual([named("short-lived")]);
    });

    it("survives a compaction: cut off for longer than the history reaches, it lists again", async () => {
      const follower = await follow(mediaType);
      let large: ConfigMap = await create(named("large"), { LARGE });
      await expectToAgree(follower);
      const [inTime, late] = [await lists(follower, () => wire.cut()), await lists(follower, () => compact())];
      expect(inTime, "a short cut is bridged by the history").toBe(0);
      expect(late, "what was compacted away is listed").toBe(1);

      async function compact(): Promise<void> {
        wire.takeAway();
        for (let step = 0; step < COMPACTING_UPDATES; step += 1) {
          large = await client.update(CONFIG_MAPS, { ...large, data: { LARGE, step: String(step) } });
        }
        await remove(named("large"));
        wire.giveBack();
      }
    });
  },
);

/** How often it asked for everything while it recovered from `trouble`. */
async function lists(follower: GoInformer, trouble: () => void | Promise<void>): Promise<number> {
  const before = follower.lines.length;
  await trouble();
  const asked = () => follower.lines.slice(before).filter(({ what }) => what === "request");
  await waitFor({
    what: "the informer to come back",
    limitMs: LIMIT_MS,
    probe: () => (asked().length > 0 ? true : undefined),
  });
  await expectToAgree(follower);
  return asked().filter(({ query = "" }) => query.includes("sendInitialEvents=true") || !query.includes("watch=true"))
    .length;
}
