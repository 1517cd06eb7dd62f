// The trail of one process: entries become lines of its chain, lines go to their file (or standard output) at once, and
// the head goes into the cluster every few seconds. The chain begins with the first entry: a replica that never led has
// none.

import { isFault } from "../../kernel/outcome/index.ts";
import type { Clock } from "../../platform/clock/index.ts";
import type { Log, LogFields } from "../../platform/report/index.ts";
import { type ChainHead, emptyChain, encodeLink } from "./chain.ts";

export interface LineSink {
  append(line: string): void;
  /** What was appended outlives the machine. */
  sync(): Promise<void>;
}

interface TrailOptions {
  readonly clock: Clock;
  readonly replica: string;
  /** The name of this process's chain: random, so that no two are the same. */
  readonly chain: string;
  readonly sink: LineSink;
}

export interface AuditTrail {
  record(event: string, fields: LogFields): void;
  /** The heads that were found in the cluster go into the first line. To be called before the first entry. */
  begin(found: readonly ChainHead[]): void;
  head(): ChainHead | undefined;
  /** False while lines wait for a disk that does not take them. */
  isWritten(): boolean;
  sync(): Promise<void>;
}

/** Lines that a full disk has not taken yet; beyond that nothing more is decided until it does. */
const MAX_WAITING = 10_000;

export function createAuditTrail({ clock, replica, chain, sink }: TrailOptions): AuditTrail {
  let head = emptyChain(chain);
  const waiting: string[] = [];

  function flush(): void {
    try {
      for (let line = waiting[0]; line !== undefined; line = waiting[0]) {
        sink.append(line);
        waiting.shift();
      }
    } catch (error) {
      if (!isFault(error) || waiting.length > MAX_WAITING) throw error;
    }
  }

  function append(event: string, fields: LogFields): void {
    const time = new Date(clock.now()).toISOString();
    const link = encodeLink(head, { time, event, by: replica, fields });
    head = link.head;
    waiting.push(link.line);
    flush();
  }

  function begin(found: readonly ChainHead[]): void {
    if (head.seq < 0)
      append("chain started", { heads: found.map(({ chain: id, seq, hash }) => ({ chain: id, seq, hash })) });
  }

  return {
    begin,
    record: (event, fields) => {
      begin([]);
      append(event, fields);
    },
    head: () => (head.seq < 0 ? undefined : head),
    isWritten: () => waiting.length === 0,
    sync: async () => {
      flush();
      await sink.sync();
    },
  };
}

/**
 * What features say with `audit: true` goes into the trail, and into the log only for those who debug: two lines for
 * each join twice would cost more than judging it.
 */
export function auditLog(log: Log, trail: AuditTrail): Log {
  return {
    ...log,
    info: (message, fields = {}) => {
      const { audit, ...rest } = fields;
      if (audit !== true) return log.info(message, rest);
      log.debug(message, rest);
      trail.record(message, rest);
    },
    child: (fields) => auditLog(log.child(fields), trail),
  };
}
