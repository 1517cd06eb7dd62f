// The one loop that all controllers of this server share: changes in storage become keys, each key is looked at by one
// worker at a time, and failures are retried with backoff. A controller is what it watches and how it handles a key.

import type { UserInfo } from "../../api/access/index.ts";
import type { Resource } from "../../api/meta/index.ts";
import { isFault } from "../../kernel/outcome/index.ts";
import { createWorkQueue, type WorkQueue } from "../../platform/kube/index.ts";
import type { Parts } from "../chain.ts";
import { prefixOf } from "../storage/key.ts";
import type { Change } from "../storage/storage.ts";
import { createInsideClient, type InsideClient } from "./inside-client.ts";

interface Watched {
  /** Undefined: all kinds. */
  readonly resource: Resource | undefined;
  /** The keys that a change concerns; at the start, everything stored counts as added. */
  keysOf(change: Change): readonly string[];
}

export interface Controller {
  readonly name: string;
  readonly user: UserInfo;
  readonly watches: readonly Watched[];
  /** Gather, plan, act. Resolves with the time after which to look again, if that is known. */
  look(key: string, client: InsideClient, nowMs: number): Promise<number | undefined>;
}

export interface LoopTrouble {
  readonly loop: string;
  readonly key: string;
  readonly error: unknown;
}

interface LoopOptions {
  readonly parts: Parts;
  readonly signal: AbortSignal;
  readonly onTrouble: (trouble: LoopTrouble) => void;
}

/** Runs until the signal fires. */
export async function runLoop(controller: Controller, options: LoopOptions): Promise<void> {
  const { parts, signal } = options;
  const random = () => (parts.random(1)[0] ?? 0) / 256;
  const queue = createWorkQueue({ clock: parts.clock, random });
  const client = createInsideClient(parts, controller.user);
  const stops = controller.watches.map((watched) => follow(watched, parts, queue));
  try {
    for (;;) {
      const key = await queue.get(signal);
      await lookAt(key, controller, { ...options, queue, client });
      queue.done(key);
    }
  } catch (error) {
    if (!isFault(error, "aborted")) throw error;
  } finally {
    for (const stop of stops) stop();
    queue.close();
  }
}

function follow({ resource, keysOf }: Watched, { storage }: Parts, queue: WorkQueue): () => void {
  const prefix = resource === undefined ? "/" : prefixOf(resource);
  const { items, revision } = storage.list({ prefix });
  const see = (change: Change) => {
    for (const key of keysOf(change)) queue.add(key);
  };
  for (const { key, object, revision: at } of items) see({ type: "ADDED", key, object, revision: at });
  return storage.watch(prefix, revision, see);
}

interface Working extends LoopOptions {
  readonly queue: WorkQueue;
  readonly client: InsideClient;
}

/** A conflict is no failure: the other change has queued the key again. */
async function lookAt(key: string, controller: Controller, working: Working): Promise<void> {
  const { queue, client, parts, onTrouble } = working;
  try {
    const againAfterMs = await controller.look(key, client, parts.clock.now());
    queue.forget(key);
    if (againAfterMs !== undefined) queue.addAfter(key, againAfterMs);
  } catch (error) {
    if (!isLostRace(error)) onTrouble({ loop: controller.name, key, error });
    queue.retry(key);
  }
}

function isLostRace(error: unknown): boolean {
  return isFault(error, "conflict") || isFault(error, "not-found") || isFault(error, "already-exists");
}
