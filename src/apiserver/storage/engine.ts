// Storage over any journal: plan a batch, make it durable, and only then let readers, watchers and the writers
// themselves see it. Memory and lmdb differ in nothing but the journal, so tests with memory show the behaviour of
// lmdb.

import { Fault } from "../../kernel/outcome/index.ts";
import { createCommitQueue, type Settled } from "./commit-queue.ts";
import { createParsedObjects, Held, type HeldChange } from "./held.ts";
import { createHistory, type HistoryLimits, rangeBefore } from "./history.ts";
import type { Journal, JournalRow } from "./journal.ts";
import { createKeyspace, type Slice } from "./keyspace.ts";
import { type Outcome, type PlannedWrite, planWrites } from "./plan.ts";
import { type ListRange, type Page, type Storage, type Stored, tooLarge } from "./storage.ts";
import { createSubscribers } from "./subscribers.ts";

/** A fresh store begins at 1, as etcd does: the resourceVersion of an empty list must not be "0", which means "any". */
export const FIRST_REVISION = 1;

interface EngineOptions {
  readonly journal: Journal;
  /** What the journal held when it was opened. */
  readonly revision: number;
  readonly rows: Iterable<JournalRow>;
  readonly historyLimits?: HistoryLimits | undefined;
}

export function createEngine({ journal, revision: startRevision, rows, historyLimits }: EngineOptions): Storage {
  const parsed = createParsedObjects();
  const keyspace = createKeyspace<Held>();
  for (const row of rows) keyspace.put(new Held(row, parsed));
  const history = createHistory(startRevision, historyLimits);
  const subscribers = createSubscribers();
  let revision = startRevision;

  /** Refusals wait for the flush as well: a conflict with a write that is not durable yet would reveal it. */
  async function commit(writes: readonly PlannedWrite[]): Promise<readonly Settled<Stored>[]> {
    const outcomes = planWrites(writes, { revision, get: keyspace.get, parsed });
    const planned = outcomes.flatMap((outcome) => ("planned" in outcome ? [outcome.planned] : []));
    if (planned.length > 0) {
      await persist(journal, planned);
      publish(planned);
    }
    return outcomes.map(answerOf);
  }

  /**
   * The whole batch becomes visible before the first listener runs: what a listener reads is never older than its
   * event.
   */
  function publish(planned: readonly HeldChange[]): void {
    for (const change of planned) {
      if (change.type === "DELETED") keyspace.remove(change.key);
      else keyspace.put(change.current);
      history.append(change);
      revision = change.revision;
    }
    for (const change of planned) subscribers.deliver(change);
  }

  function list({ atRevision = revision, ...range }: ListRange): Page {
    if (atRevision > revision) throw tooLarge(atRevision, revision);
    const { items, remaining }: Slice<Stored> =
      atRevision === revision ? keyspace.range(range) : rangeBefore(keyspace.range, history.since(atRevision), range);
    const last = items.at(-1);
    const page = { items, revision: atRevision, remaining };
    return remaining > 0 && last !== undefined ? { ...page, next: last.key } : page;
  }

  const queue = createCommitQueue(commit);
  return {
    revision: () => revision,
    oldestRevision: history.floor,
    compact: history.compact,
    get: keyspace.get,
    list,
    create: (key, object) => queue.submit({ verb: "create", key, object }),
    update: (key, object, expected) => queue.submit({ verb: "update", key, object, expected }),
    delete: (key, expected) => queue.submit({ verb: "delete", key, expected }),
    watch: (prefix, after, onChange) => subscribers.add({ prefix, after, onChange }, history.since(after)),
    close: async () => {
      await queue.close();
      subscribers.clear();
      await journal.close();
    },
  };
}

async function persist(journal: Journal, planned: readonly HeldChange[]): Promise<void> {
  const last = planned.at(-1);
  if (last === undefined) return;
  const entries = planned.map(({ type, current: { key, text } }) => (type === "DELETED" ? { key } : { key, text }));
  try {
    await journal.append({ revision: last.revision, entries });
  } catch (cause) {
    throw new Fault("io-failed", `the disk refused a batch of ${planned.length} writes`, { cause });
  }
}

function answerOf(outcome: Outcome): Settled<Stored> {
  return "planned" in outcome ? { value: outcome.planned.current } : { fault: outcome.refused };
}

// Storage that ends with the process: for tests and for programs that embed the server.

interface MemoryStorageOptions {
  readonly historyLimits?: HistoryLimits | undefined;
}

export function createMemoryStorage({ historyLimits }: MemoryStorageOptions = {}): Storage {
  const journal = { append: async () => undefined, close: async () => undefined };
  return createEngine({ journal, revision: FIRST_REVISION, rows: [], historyLimits });
}
