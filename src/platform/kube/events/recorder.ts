// Events for people, as Kubernetes' own controllers write them (core v1): the same message about the same object is one
// Event whose count grows, one object gets a few at once and then one in five minutes, and no caller waits: what cannot
// be written is dropped with a line in the log. Upstream: client-go's tools/record.

import type { Event } from "../../../api/core/index.ts";
import { EVENTS, type KubeObject } from "../../../api/meta/index.ts";
import { encodeHex, encodeUtf8 } from "../../../kernel/bytes/index.ts";
import { sha256 } from "../../../kernel/crypto/index.ts";
import { isFault } from "../../../kernel/outcome/index.ts";
import type { Clock } from "../../clock/index.ts";
import type { Log } from "../../report/index.ts";
import type { KubeClient } from "../client.ts";
import { createTokenBucket, type Rate, type TokenBucket } from "../pace.ts";

export interface EventWords {
  readonly type: "Normal" | "Warning";
  /** CamelCase, for machines. */
  readonly reason: string;
  readonly message: string;
}

export interface EventRecorder {
  /** Returns at once. */
  record(about: KubeObject, words: EventWords): void;
  /** Resolves when everything that was recorded is written or dropped. */
  flush(): Promise<void>;
}

interface RecorderOptions {
  readonly client: KubeClient;
  readonly clock: Clock;
  readonly log: Log;
  readonly component: string;
  /** Which replica speaks. */
  readonly instance: string;
}

/** client-go's: 25 at once for one object, then one in 300 seconds. */
const PER_OBJECT: Rate = { perSecond: 1 / 300, burst: 25 };
/** client-go's cache of what was written; the oldest is forgotten. */
const MAX_REMEMBERED = 4_096;
/** Events that wait to be written; more are dropped. */
const MAX_WAITING = 1_000;
/** The API server refuses longer messages. */
const MESSAGE_MAX_CHARACTERS = 1_024;
/** Events about cluster-scoped objects live here. */
const CLUSTER_NAMESPACE = "default";

export function createEventRecorder(options: RecorderOptions): EventRecorder {
  const said = createMemory<Event>();
  const buckets = createMemory<TokenBucket>();
  const waiting = new Set<Promise<void>>();
  let last: Promise<void> = Promise.resolve();

  function mayTell(about: KubeObject): boolean {
    const uid = about.metadata.uid ?? "";
    const bucket = buckets.get(uid) ?? createTokenBucket(PER_OBJECT, options.clock.now);
    buckets.set(uid, bucket);
    if (bucket.waitMs() > 0 || waiting.size >= MAX_WAITING) return false;
    bucket.take();
    return true;
  }

  async function write(about: KubeObject, words: EventWords): Promise<void> {
    const event = buildEvent(about, words, options);
    const key = event.metadata.name ?? "";
    try {
      said.set(key, await tell(options.client, event, said.get(key)));
    } catch (error) {
      if (!isFault(error)) throw error;
      options.log.warn("event not written", { reason: words.reason, about: about.metadata.name, error });
    }
  }

  return {
    record: (about, words) => {
      if (!mayTell(about)) return;
      // One after another: the second of two equal ones must know what became of the first.
      last = last.then(() => write(about, words));
      const own = last.finally(() => waiting.delete(own));
      waiting.add(own);
    },
    flush: async () => void (await Promise.all(waiting)),
  };
}

/** A name made of the content: after a restart the same message meets its own Event instead of making another. */
function buildEvent(about: KubeObject, { type, reason, message }: EventWords, options: RecorderOptions): Event {
  const { namespace, name = "", uid = "" } = about.metadata;
  const at = new Date(options.clock.now()).toISOString().replace(/\.\d+Z$/, "Z");
  const shortened = message.slice(0, MESSAGE_MAX_CHARACTERS);
  const digest = sha256(encodeUtf8(JSON.stringify([uid, options.component, type, reason, shortened])));
  return {
    apiVersion: "v1",
    kind: "Event",
    metadata: {
      namespace: namespace ?? CLUSTER_NAMESPACE,
      name: `${options.component}.${encodeHex(digest.subarray(0, 8))}`,
    },
    involvedObject: {
      apiVersion: about.apiVersion,
      kind: about.kind,
      name,
      uid,
      ...(namespace === undefined ? {} : { namespace }),
    },
    ...{ type, reason, message: shortened },
    source: { component: options.component },
    reportingComponent: options.component,
    reportingInstance: options.instance,
    firstTimestamp: at,
    lastTimestamp: at,
    count: 1,
  };
}

async function tell(client: KubeClient, event: Event, before: Event | undefined): Promise<Event> {
  const { namespace = "", name = "" } = event.metadata;
  if (before !== undefined) {
    const patch = { count: (before.count ?? 1) + 1, lastTimestamp: event.lastTimestamp };
    try {
      return await client.patch<Event>(EVENTS, { namespace, name }, patch, { type: "merge" });
    } catch (error) {
      if (!isFault(error, "not-found")) throw error; // events live an hour: this one was deleted since
    }
  }
  try {
    return await client.create<Event>(EVENTS, event);
  } catch (error) {
    if (!isFault(error, "already-exists")) throw error;
    return event;
  }
}

function createMemory<T>() {
  const entries = new Map<string, T>();
  return {
    get: (key: string) => entries.get(key),
    set: (key: string, value: T) => {
      entries.delete(key);
      const [oldest] = entries.keys();
      if (entries.size >= MAX_REMEMBERED && oldest !== undefined) entries.delete(oldest);
      entries.set(key, value);
    },
  };
}
