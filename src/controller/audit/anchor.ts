// The heads of the chains in a ConfigMap: what an attacker with the files of a replica cannot change with them. The
// lines are on disk before the head that vouches for them is written. All replicas share the object, each its own key.

import type { ConfigMap } from "../../api/core/index.ts";
import { CONFIG_MAPS } from "../../api/meta/index.ts";
import { isFault } from "../../kernel/outcome/index.ts";
import type { Clock } from "../../platform/clock/index.ts";
import type { KubeClient } from "../../platform/kube/index.ts";
import type { Log } from "../../platform/report/index.ts";
import type { ChainHead } from "./chain.ts";
import { isHead } from "./check.ts";
import type { AuditTrail } from "./trail.ts";

const ANCHOR_NAME = "node-attestation-controller-audit";

/** How much of a trail may be cut off without the cluster knowing. A write every five seconds costs next to nothing. */
const INTERVAL_MS = 5_000;
/** Every restart begins a chain; the oldest are dropped. */
const MAX_CHAINS = 50;

interface AnchorOptions {
  readonly client: KubeClient;
  readonly clock: Clock;
  readonly log: Log;
  readonly namespace: string;
  readonly replica: string;
  readonly trail: AuditTrail;
}

export interface Anchor {
  /** Reads the heads that are known and begins the trail with them. */
  begin(): Promise<void>;
  /** Anchors what is new, until the signal fires, and once more then. */
  run(signal: AbortSignal): Promise<void>;
}

export function createAnchor(options: AnchorOptions): Anchor {
  const { client, clock, log, namespace, trail } = options;
  let anchored = -1;

  async function anchor(): Promise<void> {
    const head = trail.head();
    if (head === undefined || head.seq === anchored) return;
    try {
      await trail.sync();
      if (!trail.isWritten()) return;
      await save(options, head);
      anchored = head.seq;
    } catch (error) {
      if (!isFault(error)) throw error;
      log.warn("the head of the audit trail is not anchored, trying again", { error });
    }
  }

  return {
    begin: async () => {
      const configMap = await getAnchors(client, namespace);
      trail.begin(headsOf(configMap));
    },
    run: async (signal) => {
      while (!signal.aborted) {
        await anchor();
        await clock.sleep(INTERVAL_MS, signal).catch((error: unknown) => {
          if (!isFault(error, "aborted")) throw error;
        });
      }
      await anchor();
    },
  };
}

export async function getAnchors(client: KubeClient, namespace: string): Promise<ConfigMap | undefined> {
  try {
    return await client.get<ConfigMap>(CONFIG_MAPS, { namespace, name: ANCHOR_NAME });
  } catch (error) {
    if (isFault(error, "not-found")) return undefined;
    throw error;
  }
}

/** Entries that are none of ours are left out. */
export function headsOf(configMap: ConfigMap | undefined): readonly ChainHead[] {
  return Object.entries(configMap?.data ?? {}).flatMap(([chain, text]) => {
    const head = { chain, ...readHead(text) };
    return isHead(head) ? [head] : [];
  });
}

function readHead(text: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {};
  } catch {
    return {}; // a stranger's entry
  }
}

async function save({ client, clock, namespace, replica }: AnchorOptions, head: ChainHead): Promise<void> {
  const before = await getAnchors(client, namespace);
  const time = new Date(clock.now()).toISOString();
  const entry = JSON.stringify({ seq: head.seq, hash: head.hash, time, by: replica });
  const data = newest({ ...before?.data, [head.chain]: entry });
  const meta = { apiVersion: "v1", kind: "ConfigMap" };
  if (before === undefined) {
    await client.create<ConfigMap>(CONFIG_MAPS, { ...meta, metadata: { namespace, name: ANCHOR_NAME }, data });
  } else {
    await client.update<ConfigMap>(CONFIG_MAPS, { ...before, ...meta, data });
  }
}

function newest(data: Readonly<Record<string, string>>): Record<string, string> {
  const byTime = Object.entries(data).sort(([, a], [, b]) => timeOf(b).localeCompare(timeOf(a)));
  return Object.fromEntries(byTime.slice(0, MAX_CHAINS));
}

function timeOf(text: string): string {
  const { time } = readHead(text);
  return typeof time === "string" ? time : "";
}
