// What ends with time: Events, expired bootstrap tokens, and the history that watches and paged lists are served from.

import { readExpiration, TOKEN_NAMESPACE, TOKEN_SECRET_TYPE } from "../../api/bootstrap/index.ts";
import type { Secret } from "../../api/core/index.ts";
import { EVENTS, type KubeObject, SECRETS } from "../../api/meta/index.ts";
import { isFault } from "../../kernel/outcome/index.ts";
import type { Clock } from "../../platform/clock/index.ts";
import { prefixOf } from "../storage/key.ts";
import type { Storage } from "../storage/storage.ts";
import { controllerUser } from "./inside-client.ts";
import type { Controller } from "./loop.ts";

const EVENT_LIFETIME_MS = 60 * 60_000;
/** An Event may be served up to this much longer than it lives. */
const SWEEP_INTERVAL_MS = 60_000;

interface Expiry {
  readonly storage: Storage;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

/**
 * Events are deleted after an hour, as by kube-apiserver's --event-ttl: those of a busy cluster would outgrow
 * everything else in storage. Runs until the signal fires.
 */
export async function runEventExpiry({ storage, clock, signal }: Expiry): Promise<void> {
  try {
    for (;;) {
      await clock.sleep(SWEEP_INTERVAL_MS, signal);
      await expireEvents(storage, clock.now());
    }
  } catch (error) {
    if (!isFault(error, "aborted")) throw error;
  }
}

export async function expireEvents(storage: Storage, nowMs: number): Promise<void> {
  const { items } = storage.list({ prefix: prefixOf(EVENTS) });
  for (const { key, revision } of items.filter((item) => isExpired(item.object, nowMs))) {
    try {
      await storage.delete(key, revision);
    } catch (error) {
      // It was written in the meantime and lives on, or it is deleted already.
      if (!isFault(error, "conflict") && !isFault(error, "not-found")) throw error;
    }
  }
}

/** The newest of its times counts: an Event that goes on happening is kept. */
function isExpired(object: KubeObject, nowMs: number): boolean {
  const { lastTimestamp, eventTime, series } = object as KubeObject & {
    lastTimestamp?: string;
    eventTime?: string;
    series?: { lastObservedTime?: string };
  };
  const times = [object.metadata.creationTimestamp, lastTimestamp, eventTime, series?.lastObservedTime];
  const known = times.map((time) => Date.parse(time ?? "")).filter((ms) => !Number.isNaN(ms));
  return known.length > 0 && Math.max(...known) + EVENT_LIFETIME_MS <= nowMs;
}

const COMPACTION_INTERVAL_MS = 5 * 60_000;

/**
 * History is dropped by time as well as by size, as kube-apiserver has etcd compacted every five minutes
 * (--etcd-compaction-interval): a list that is not continued within that time has to begin again, and so has a watch. A
 * client that meets this only in busy clusters would not be tested here otherwise. Runs until the signal fires; what
 * was written within the last interval is kept.
 */
export async function runCompaction({ storage, clock, signal }: Expiry): Promise<void> {
  try {
    for (;;) {
      const revision = storage.revision();
      await clock.sleep(COMPACTION_INTERVAL_MS, signal);
      storage.compact(revision);
    }
  } catch (error) {
    if (!isFault(error, "aborted")) throw error;
  }
}

/** Deletes bootstrap tokens when they expire. Behaviour of kubernetes/pkg/controller/bootstrap/tokencleaner.go. */
export const bootstrapTokens: Controller = {
  name: "bootstrap-tokens",
  user: controllerUser("token-cleaner"),
  watches: [
    {
      resource: SECRETS,
      keysOf: ({ type, object }) =>
        type !== "DELETED" && isToken(object as Secret) ? [object.metadata.name ?? ""] : [],
    },
  ],
  look: async (name, client, nowMs) => {
    const secret = client.get<Secret>(SECRETS, { namespace: TOKEN_NAMESPACE, name });
    if (secret === undefined || !isToken(secret)) return undefined;
    const endMs = readExpiration(secret);
    if (endMs === undefined) return undefined;
    if (endMs > nowMs) return endMs - nowMs;
    await client.remove(SECRETS, { namespace: TOKEN_NAMESPACE, name }, { uid: secret.metadata.uid });
    return undefined;
  },
};

function isToken({ type, metadata }: Secret): boolean {
  return type === TOKEN_SECRET_TYPE && metadata.namespace === TOKEN_NAMESPACE;
}
